import { defined, type Fields, fieldsOf, isFields, listOf } from '../shared/fields.ts'

/**
 * What the decoder reads of an event of the Pi SDK, as a copy: the SDK goes on writing into what it
 * has handed out. Snapshots of the whole message or conversation are left out, because they come
 * with every delta. Undefined when there is nothing to read.
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
      return fieldsOf(plain(event))
  }
}

/** A deep copy of what JSON can say, which is what Pi’s own JSON modes would have printed. */
export const plain = (value: object): unknown => JSON.parse(JSON.stringify(value))

const copyUpdate = ({ type, message, assistantMessageEvent }: Fields): Fields => {
  const { partial, ...update } = fieldsOf(assistantMessageEvent)
  const isGrowth = typeof update.type === 'string' && update.type.endsWith('_delta')
  return {
    type,
    usage: usageOf(fieldsOf(message)),
    // A delta is flat and made of text and numbers: the spread was a copy already.
    assistantMessageEvent: isGrowth ? update : nameTool(fieldsOf(plain(update)), partial),
  }
}

/** Versions that say `agent_settled` also say `pending`; before, usage was not told while it grew. */
const usageOf = ({ usage, stopReason }: Fields): Fields | undefined =>
  stopReason === 'pending' && isFields(usage) ? { ...usage } : undefined

/** The name of a call that begins stands in the snapshot only. */
const nameTool = (update: Fields, partial: unknown): Fields => {
  if (update.type !== 'toolcall_start') return update
  const call = fieldsOf(listOf(fieldsOf(partial).content)[Number(update.contentIndex)])
  return { ...defined({ id: call.id, toolName: call.name }), ...update }
}

/** The text of a message that begins comes as deltas, whatever the snapshot already holds. */
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
  usage: isFields(usage) ? plain(usage) : undefined,
})

/** A tool repeats its output so far each time; the texts in it do not change. */
const copyOutput = ({ type, toolCallId, toolName, parentToolCallId, partialResult }: Fields) => ({
  type,
  toolCallId,
  toolName,
  parentToolCallId,
  partialResult: {
    content: listOf(fieldsOf(partialResult).content).map((item) => ({ text: fieldsOf(item).text })),
  },
})
