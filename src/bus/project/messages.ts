import {
  type AdapterMessage,
  type Context,
  isMain,
  type ProjectionTable,
  type Stamped,
} from './context.ts'

/** What becomes of the events about messages. */
export const messageProjections: ProjectionTable = {
  message_start(event, context) {
    if (!isMain(event)) return []
    context.model = event.model ?? context.model
    context.run.open(event.messageId)
    return []
  },
  message_update: (event, context) => (isMain(event) ? updated(event, context) : []),
  message_end: (event, context) => [...completed(event, context), ...used(event, context)],
  message_withdrawn({ messageId, fromContentIndex }, { run }) {
    run.withdraw(messageId, fromContentIndex)
    return []
  },
}

const updated = (event: Stamped<'message_update'>, { to, blocks }: Context): AdapterMessage[] => {
  const { messageId, sessionId, assistantMessageEvent: update } = event
  if (!('contentIndex' in update)) return []
  const { contentIndex } = update
  const where = { contentIndex, messageId, sessionId }
  switch (update.type) {
    case 'text_delta': {
      const { delta } = update
      blocks.add(messageId, contentIndex, delta)
      return [{ subject: to.text_delta, payload: { delta, eventType: 'text_delta', ...where } }]
    }
    case 'thinking_delta': {
      const { delta } = update
      blocks.add(messageId, contentIndex, delta)
      return [
        { subject: to.thinking_delta, payload: { delta, eventType: 'thinking_delta', ...where } },
      ]
    }
    case 'text_end': {
      const text = blocks.take(messageId, contentIndex)
      return [
        { subject: to.text_complete, payload: { eventType: 'text_complete', text, ...where } },
      ]
    }
    case 'thinking_end': {
      const text = blocks.take(messageId, contentIndex)
      return [
        {
          subject: to.thinking_complete,
          payload: { eventType: 'thinking_complete', text, ...where },
        },
      ]
    }
    default:
      return []
  }
}

const completed = (event: Stamped<'message_end'>, context: Context): AdapterMessage[] => {
  if (!isMain(event)) return []
  const { message, messageId, sessionId } = event
  context.blocks.drop(messageId)
  context.run.close(messageId, message)
  return [
    {
      subject: context.to.message_complete,
      payload: { eventType: 'message_complete', message, messageId, sessionId },
    },
  ]
}

const used = (event: Stamped<'message_end'>, { to }: Context): AdapterMessage[] => {
  const { messageId, parentToolCallId, sessionId } = event
  const { usage, model } = event.message
  if (usage === undefined) return []
  return [
    {
      subject: to.usage,
      payload: {
        eventType: 'usage',
        usage,
        ...(model !== undefined && { model }),
        messageId,
        ...(parentToolCallId !== undefined && { parentToolCallId }),
        sessionId,
      },
    },
  ]
}
