import type { AssistantMessageEvent, Block } from '../events/types.ts'
import { beginsWith, endsInHalfPair } from './strings.ts'

export type BlockKind = 'text' | 'thinking' | 'toolCall'

/** A block of an assistant message in flight. */
export interface OpenBlock {
  readonly contentIndex: number
  readonly kind: BlockKind
  isOpen: boolean
  /** What was streamed: text, thinking, or the JSON text of the arguments. */
  streamed: string
  /** The first half of a character, held back until its other half arrives. */
  held: string
  /** Id, name and arguments of a tool call. */
  id: string
  name: string
  input: unknown
}

type EmitUpdate = (update: AssistantMessageEvent) => void

/** Starts a block. */
export const openBlock = (
  emit: EmitUpdate,
  contentIndex: number,
  kind: BlockKind,
  id = '',
  name = '',
): OpenBlock => {
  if (kind === 'text') emit({ type: 'text_start', contentIndex })
  else if (kind === 'thinking') emit({ type: 'thinking_start', contentIndex })
  else emit({ type: 'tool_use_start', contentIndex, toolCallId: id, name, input: {} })
  return { contentIndex, kind, isOpen: true, streamed: '', held: '', id, name, input: undefined }
}

/** Appends text as the agent sends it, which may cut a character in two. */
export const feedBlock = (emit: EmitUpdate, block: OpenBlock, delta: string): void => {
  const text = block.held === '' ? delta : block.held + delta
  block.held = endsInHalfPair(text) ? text.slice(-1) : ''
  growBlock(emit, block, block.held === '' ? text : text.slice(0, -1))
}

/** Appends the part of the whole text that no delta carried, and ends the block. */
export const completeBlock = (emit: EmitUpdate, block: OpenBlock, whole: string): void => {
  const seen = block.streamed + takeHeld(block)
  if (whole !== seen && beginsWith(whole, seen))
    growBlock(emit, block, whole.slice(block.streamed.length))
  closeBlock(emit, block)
}

/** Ends a block as it is. */
export const closeBlock = (emit: EmitUpdate, block: OpenBlock): void => {
  if (!block.isOpen) return
  growBlock(emit, block, takeHeld(block))
  block.isOpen = false
  const { contentIndex, kind, id: toolCallId, name } = block
  if (kind === 'text') emit({ type: 'text_end', contentIndex })
  else if (kind === 'thinking') emit({ type: 'thinking_end', contentIndex })
  else emit({ type: 'tool_use_end', contentIndex, toolCallId, name, input: inputOf(block) })
}

/** What was streamed of a block, as content of a message. */
export const contentOfBlock = (block: OpenBlock): Block => {
  if (block.kind === 'text') return { type: 'text', text: block.streamed }
  if (block.kind === 'thinking') return { type: 'thinking', thinking: block.streamed }
  return { type: 'toolCall', id: block.id, name: block.name, arguments: inputOf(block) }
}

const growBlock = (emit: EmitUpdate, block: OpenBlock, delta: string): void => {
  if (delta === '') return
  block.streamed += delta
  const { contentIndex, kind, id: toolCallId } = block
  if (kind === 'text') emit({ type: 'text_delta', contentIndex, delta })
  else if (kind === 'thinking') emit({ type: 'thinking_delta', contentIndex, delta })
  else emit({ type: 'tool_use_input_delta', contentIndex, toolCallId, partialInput: delta })
}

const takeHeld = (block: OpenBlock): string => {
  const { held } = block
  block.held = ''
  return held
}

const inputOf = (block: OpenBlock): unknown => {
  if (block.input !== undefined) return block.input
  try {
    return JSON.parse(block.streamed)
  } catch {
    return {}
  }
}
