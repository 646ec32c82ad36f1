import type { AssistantMessageEvent, BlobRef, Block, Message } from '../events/types.ts'
import { grow } from './grow.ts'

/** A message after one step of its stream; the same one if the step shows nothing new. */
export const updated = (message: Message, update: AssistantMessageEvent): Message => {
  switch (update.type) {
    case 'text_start':
      return withBlock(message, update.contentIndex, (block) => textBlock(block, ''))
    case 'text_delta':
      return withBlock(message, update.contentIndex, (block) => textBlock(block, update.delta))
    case 'thinking_start':
      return withBlock(message, update.contentIndex, (block) => thinkingBlock(block, ''))
    case 'thinking_delta':
      return withBlock(message, update.contentIndex, (block) => thinkingBlock(block, update.delta))
    case 'tool_use_start':
      return withBlock(message, update.contentIndex, () => callBlock(update, update.input))
    case 'tool_use_end':
      return withBlock(message, update.contentIndex, () =>
        callBlock(update, update.input, update.blob),
      )
    case 'tool_use_input_delta':
      return withBlock(message, update.contentIndex, (block) => callDelta(block, update))
    case 'usage':
      return { ...message, usage: update.usage }
    case 'done':
      return update.reason === undefined ? message : { ...message, stopReason: update.reason }
    case 'error':
      return failed(message, update)
    default:
      return message
  }
}

/** A block may begin behind others that the agent does not stream; but not anywhere. */
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
  // What is not streamed comes with the end of the message; until then its place is empty.
  while (blocks.length < index) blocks.push({ type: 'text', text: '' })
  blocks[index] = after
  return { ...message, content: blocks }
}

const textBlock = (block: Block | undefined, delta: string): Block => {
  if (block?.type !== 'text' || typeof block.text !== 'string') return { type: 'text', text: delta }
  return delta === '' ? block : { type: 'text', text: grow(block.text, delta) }
}

const thinkingBlock = (block: Block | undefined, delta: string): Block => {
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

type CallDelta = Extract<AssistantMessageEvent, { type: 'tool_use_input_delta' }>

const callDelta = (block: Block | undefined, update: CallDelta): Block => {
  const call = block?.type === 'toolCall' ? block : undefined
  const before = typeof call?.arguments === 'string' ? call.arguments : ''
  const name = typeof call?.name === 'string' ? call.name : ''
  return callBlock({ toolCallId: update.toolCallId, name }, grow(before, update.partialInput))
}

type Failed = Extract<AssistantMessageEvent, { type: 'error' }>

const failed = (message: Message, { reason, errorMessage }: Failed): Message => ({
  ...message,
  stopReason: reason,
  ...(errorMessage !== undefined && { errorMessage }),
})
