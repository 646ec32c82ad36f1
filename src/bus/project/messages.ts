import {
  type AdapterMessage,
  isMainThread,
  type ProjectionContext,
  type ProjectionTable,
  type Stamped,
} from './context.ts'

/** Projects the events about messages. */
export const messageProjections: ProjectionTable = {
  message_start(event, context) {
    if (!isMainThread(event)) return []
    context.model = event.model ?? context.model
    context.run.open(event.messageId)
    return []
  },
  message_update: (event, context) => (isMainThread(event) ? update(event, context) : []),
  message_end: (event, context) => [...completion(event, context), ...usage(event, context)],
  message_withdrawn({ messageId, fromContentIndex }, { run }) {
    run.withdraw(messageId, fromContentIndex)
    return []
  },
}

const update = (
  event: Stamped<'message_update'>,
  { subjects, blocks }: ProjectionContext,
): AdapterMessage[] => {
  const { messageId, sessionId, assistantMessageEvent } = event
  if (!('contentIndex' in assistantMessageEvent)) return []
  const { contentIndex } = assistantMessageEvent
  const position = { contentIndex, messageId, sessionId }
  switch (assistantMessageEvent.type) {
    case 'text_delta': {
      const { delta } = assistantMessageEvent
      blocks.add(messageId, contentIndex, delta)
      const payload = { delta, eventType: 'text_delta' as const, ...position }
      return [{ subject: subjects.text_delta, payload }]
    }
    case 'thinking_delta': {
      const { delta } = assistantMessageEvent
      blocks.add(messageId, contentIndex, delta)
      const payload = { delta, eventType: 'thinking_delta' as const, ...position }
      return [{ subject: subjects.thinking_delta, payload }]
    }
    case 'text_end': {
      const text = blocks.take(messageId, contentIndex)
      const payload = { eventType: 'text_complete' as const, text, ...position }
      return [{ subject: subjects.text_complete, payload }]
    }
    case 'thinking_end': {
      const text = blocks.take(messageId, contentIndex)
      const payload = { eventType: 'thinking_complete' as const, text, ...position }
      return [{ subject: subjects.thinking_complete, payload }]
    }
    default:
      return []
  }
}

const completion = (
  event: Stamped<'message_end'>,
  { subjects, blocks, run }: ProjectionContext,
): AdapterMessage[] => {
  if (!isMainThread(event)) return []
  const { message, messageId, sessionId } = event
  blocks.drop(messageId)
  run.close(messageId, message)
  return [
    {
      subject: subjects.message_complete,
      payload: { eventType: 'message_complete', message, messageId, sessionId },
    },
  ]
}

const usage = (
  event: Stamped<'message_end'>,
  { subjects }: ProjectionContext,
): AdapterMessage[] => {
  const { messageId, parentToolCallId, sessionId, message } = event
  if (message.usage === undefined) return []
  return [
    {
      subject: subjects.usage,
      payload: {
        eventType: 'usage',
        usage: message.usage,
        ...(message.model !== undefined && { model: message.model }),
        messageId,
        ...(parentToolCallId !== undefined && { parentToolCallId }),
        sessionId,
      },
    },
  ]
}
