import type {
  AssistantMessageEvent,
  BlobRef,
  Block,
  ErrorUpdate,
  Message,
  ToolUseInputDeltaUpdate,
} from '../events/types.ts'
import { grow } from './grow.ts'

/** The message after one streaming update; the same object if the update changes nothing. */
export const applyUpdate = (message: Message, update: AssistantMessageEvent): Message => {
  switch (update.type) {
    case 'text_start':
      return withBlock(message, update.contentIndex, (block) => growText(block, ''))
    case 'text_delta':
      return withBlock(message, update.contentIndex, (block) => growText(block, update.delta))
    case 'thinking_start':
      return withBlock(message, update.contentIndex, (block) => growThinking(block, ''))
    case 'thinking_delta':
      return withBlock(message, update.contentIndex, (block) => growThinking(block, update.delta))
    case 'tool_use_start':
      return withBlock(message, update.contentIndex, () => callBlock(update, update.input))
    case 'tool_use_end':
      return withBlock(message, update.contentIndex, () =>
        callBlock(update, update.input, update.blob),
      )
    case 'tool_use_input_delta':
      return withBlock(message, update.contentIndex, (block) => growArguments(block, update))
    case 'usage':
      return { ...message, usage: update.usage }
    case 'done':
      return update.reason === undefined ? message : { ...message, stopReason: update.reason }
    case 'error':
      return withError(message, update)
    default:
      return message
  }
}

/** How many blocks an agent can leave out of its stream. An index beyond that is ignored. */
const widestGap = 256

const withBlock = (
  message: Message,
  index: number,
  change: (block: Block | undefined) => Block,
): Message => {
  const { content } = message
  if (index > content.length + widestGap) return message
  const block = content[index]
  const after = change(block)
  if (after === block) return message
  const blocks = content.slice()
  // Blocks that are not streamed arrive with the end of the message. Until then they are empty.
  while (blocks.length < index) blocks.push({ type: 'text', text: '' })
  blocks[index] = after
  return { ...message, content: blocks }
}

const growText = (block: Block | undefined, delta: string): Block => {
  if (block?.type !== 'text' || typeof block.text !== 'string') return { type: 'text', text: delta }
  return delta === '' ? block : { type: 'text', text: grow(block.text, delta) }
}

const growThinking = (block: Block | undefined, delta: string): Block => {
  if (block?.type !== 'thinking' || typeof block.thinking !== 'string')
    return { type: 'thinking', thinking: delta }
  return delta === '' ? block : { ...block, thinking: grow(block.thinking, delta) }
}

const callBlock = (
  { toolCallId, name }: { toolCallId: string; name: string },
  input: unknown,
  blob?: BlobRef,
): Block => ({
  type: 'toolCall',
  id: toolCallId,
  name,
  arguments: input,
  ...(blob && { blob }),
})

const growArguments = (block: Block | undefined, update: ToolUseInputDeltaUpdate): Block => {
  const call = block?.type === 'toolCall' ? block : undefined
  const before = typeof call?.arguments === 'string' ? call.arguments : ''
  const name = typeof call?.name === 'string' ? call.name : ''
  return callBlock({ toolCallId: update.toolCallId, name }, grow(before, update.partialInput))
}

const withError = (message: Message, { reason, errorMessage }: ErrorUpdate): Message => ({
  ...message,
  stopReason: reason,
  ...(errorMessage !== undefined && { errorMessage }),
})
