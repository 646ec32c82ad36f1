import { defined, type Fields, fieldsOf, isFields, listOf } from '../shared/fields.ts'

/**
 * Copies what the decoder reads of an event of the Pi SDK, because the SDK keeps changing the
 * objects that it passes to listeners. Snapshots of the message or of the conversation are left
 * out: they come with every delta. Undefined if there is nothing to read.
 */
export const copyPiEvent = (event: Fields): Fields | undefined => {
  const { type } = event
  switch (type) {
    case 'message_update':
      return copyUpdate(event)
    case 'message_start':
      return { type, message: copyStart(fieldsOf(event.message)) }
    case 'tool_execution_update':
      return copyOutput(event)
    case 'turn_end':
      return { type, message: copyEnd(fieldsOf(event.message)) }
    case 'agent_end':
      return { type, willRetry: event.willRetry }
    case 'entry_appended':
      return undefined
    default:
      return fieldsOf(jsonCopy(event))
  }
}

/** A deep copy by JSON: what Pi’s own JSON modes would have printed. */
export const jsonCopy = (value: object): unknown => JSON.parse(JSON.stringify(value))

const copyUpdate = ({ type, message, assistantMessageEvent }: Fields): Fields => {
  const { partial, ...update } = fieldsOf(assistantMessageEvent)
  const isDelta = typeof update.type === 'string' && update.type.endsWith('_delta')
  return {
    type,
    usage: usageOf(fieldsOf(message)),
    // A delta has only strings and numbers: the spread has copied it.
    assistantMessageEvent: isDelta ? update : withToolName(fieldsOf(jsonCopy(update)), partial),
  }
}

/** Only versions with `agent_settled` mark a message as `pending` and report usage while it grows. */
const usageOf = ({ usage, stopReason }: Fields): Fields | undefined =>
  stopReason === 'pending' && isFields(usage) ? { ...usage } : undefined

/** Only the snapshot has the name of a tool call that starts. */
const withToolName = (update: Fields, partial: unknown): Fields => {
  if (update.type !== 'toolcall_start') return update
  const call = fieldsOf(listOf(fieldsOf(partial).content)[Number(update.contentIndex)])
  return { ...defined({ id: call.id, toolName: call.name }), ...update }
}

/** Without the texts, which follow as deltas even if the snapshot has some already. */
const copyStart = ({ role, model, stopReason, content }: Fields): Fields => ({
  role,
  model,
  stopReason,
  content: listOf(content).map((block) => {
    const { type, id, name } = fieldsOf(block)
    return { type, id, name }
  }),
})

const copyEnd = ({ stopReason, usage }: Fields): Fields => ({
  stopReason,
  usage: isFields(usage) ? jsonCopy(usage) : undefined,
})

/** Each update repeats the whole output so far. Strings cannot change, so they are not copied. */
const copyOutput = ({ type, toolCallId, toolName, parentToolCallId, partialResult }: Fields) => ({
  type,
  toolCallId,
  toolName,
  parentToolCallId,
  partialResult: {
    content: listOf(fieldsOf(partialResult).content).map((item) => ({ text: fieldsOf(item).text })),
  },
})
