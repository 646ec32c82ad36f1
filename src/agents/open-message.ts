import type { AssistantMessageEvent, Block, Message, Usage } from '../events/types.ts'
import type { Emit } from './emit.ts'
import { beginsWith, endsInHalfPair } from './strings.ts'

/**
 * An assistant message in flight. It emits the updates in the order that every stream guarantees:
 * blocks start, grow and end; the last update is `done` or `error`.
 */
export interface OpenMessage {
  readonly id: string
  /** Starts a block, unless it has started. */
  start(index: number, kind: TextKind): void
  /** Appends to a block. */
  delta(index: number, kind: TextKind, delta: string): void
  /** Ends a block, whose whole text this is. */
  complete(index: number, kind: TextKind, whole: string): void
  /** Starts a tool call, unless it has started. */
  startTool(index: number, toolCallId: string, name: string): void
  /** Appends to the JSON text of a tool call’s arguments. */
  toolDelta(index: number, delta: string): void
  /** Ends a tool call, whose arguments these are. */
  endTool(index: number, toolCallId: string, name: string, input: unknown): void
  /** Ends a block as it is. */
  end(index: number): void
  /** Whether a block has started. */
  has(index: number): boolean
  /** Reports the usage so far, if it changed. */
  usage(usage: Usage): void
  /** What was streamed so far. */
  content(): Block[]
  /** Ends the message, whose final form this is. */
  finish(message: Message, failure?: MessageFailure): void
}

export type TextKind = 'text' | 'thinking'

/** How a message failed. */
export interface MessageFailure {
  reason: string
  errorMessage?: string
}

export const createOpenMessage = (id: string, emit: Emit): OpenMessage => {
  const blocks = new Map<number, OpenBlock>()
  let lastUsage: Usage | undefined

  const update = (assistantMessageEvent: AssistantMessageEvent) =>
    emit({ type: 'message_update', messageId: id, assistantMessageEvent })

  const begin = (index: number, kind: BlockKind, toolCallId?: string, name?: string): OpenBlock => {
    const block = openBlock(update, index, kind, toolCallId, name)
    blocks.set(index, block)
    return block
  }

  const blockAt = (index: number, kind: TextKind): OpenBlock => {
    const block = blocks.get(index)
    return block?.kind === kind ? block : begin(index, kind)
  }

  const complete = (index: number, kind: TextKind, whole: string) => {
    if (whole !== '' || blocks.has(index)) completeBlock(update, blockAt(index, kind), whole)
  }

  const usage = (now: Usage) => {
    if (lastUsage && isSameUsage(lastUsage, now)) return
    lastUsage = now
    update({ type: 'usage', usage: now })
  }

  return {
    id,
    complete,
    usage,
    start(index, kind) {
      if (!blocks.has(index)) begin(index, kind)
    },
    delta: (index, kind, delta) => feedBlock(update, blockAt(index, kind), delta),
    startTool(index, toolCallId, name) {
      if (!blocks.has(index)) begin(index, 'toolCall', toolCallId, name)
    },
    toolDelta(index, delta) {
      const block = blocks.get(index)
      if (block?.kind === 'toolCall') feedBlock(update, block, delta)
    },
    endTool(index, toolCallId, name, input) {
      const found = blocks.get(index)
      const block = found?.kind === 'toolCall' ? found : begin(index, 'toolCall', toolCallId, name)
      block.id ||= toolCallId
      block.name ||= name
      block.input = input
      closeBlock(update, block)
    },
    end(index) {
      const block = blocks.get(index)
      if (block) closeBlock(update, block)
    },
    has: (index) => blocks.has(index),
    content: () =>
      [...blocks.values()]
        .sort((left, right) => left.contentIndex - right.contentIndex)
        .map(contentOfBlock),
    finish(message, failure) {
      for (const [index, block] of message.content.entries()) {
        if (block.type === 'text' && typeof block.text === 'string')
          complete(index, 'text', block.text)
        else if (block.type === 'thinking' && typeof block.thinking === 'string')
          complete(index, 'thinking', block.thinking)
      }
      for (const block of blocks.values()) closeBlock(update, block)
      if (message.usage) usage(message.usage)
      update(failure ? { type: 'error', ...failure } : doneUpdate(message.stopReason))
      emit({ type: 'message_end', messageId: id, message })
    },
  }
}

const isSameUsage = (left: Usage, right: Usage): boolean =>
  left.input === right.input &&
  left.output === right.output &&
  left.cacheRead === right.cacheRead &&
  left.cacheWrite === right.cacheWrite &&
  left.reasoning === right.reasoning &&
  left.estimated === right.estimated &&
  left.cost?.total === right.cost?.total

const doneUpdate = (reason: string | undefined): AssistantMessageEvent =>
  reason === undefined ? { type: 'done' } : { type: 'done', reason }

type BlockKind = TextKind | 'toolCall'

/** A block of an assistant message in flight. */
interface OpenBlock {
  readonly contentIndex: number
  readonly kind: BlockKind
  isOpen: boolean
  /** The agent has sent the whole text: what comes after it is a repetition. */
  isWhole: boolean
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
const openBlock = (
  emit: EmitUpdate,
  contentIndex: number,
  kind: BlockKind,
  id = '',
  name = '',
): OpenBlock => {
  if (kind === 'text') emit({ type: 'text_start', contentIndex })
  else if (kind === 'thinking') emit({ type: 'thinking_start', contentIndex })
  else emit({ type: 'tool_use_start', contentIndex, toolCallId: id, name, input: {} })
  const none = { isOpen: true, isWhole: false, streamed: '', held: '', input: undefined }
  return { contentIndex, kind, id, name, ...none }
}

/** Appends text as the agent sends it, which may cut a character in two. */
const feedBlock = (emit: EmitUpdate, block: OpenBlock, delta: string): void => {
  if (block.isWhole) return
  const text = block.held === '' ? delta : block.held + delta
  block.held = endsInHalfPair(text) ? text.slice(-1) : ''
  growBlock(emit, block, block.held === '' ? text : text.slice(0, -1))
}

/** Appends the part of the whole text that no delta carried, and ends the block. */
const completeBlock = (emit: EmitUpdate, block: OpenBlock, whole: string): void => {
  const seen = block.streamed + takeHeld(block)
  if (whole !== seen && beginsWith(whole, seen))
    growBlock(emit, block, whole.slice(block.streamed.length))
  closeBlock(emit, block)
  block.isWhole = true
}

/** Ends a block as it is. */
const closeBlock = (emit: EmitUpdate, block: OpenBlock): void => {
  if (!block.isOpen) return
  growBlock(emit, block, takeHeld(block))
  block.isOpen = false
  const { contentIndex, kind, id: toolCallId, name } = block
  if (kind === 'text') emit({ type: 'text_end', contentIndex })
  else if (kind === 'thinking') emit({ type: 'thinking_end', contentIndex })
  else emit({ type: 'tool_use_end', contentIndex, toolCallId, name, input: inputOf(block) })
}

/** What was streamed of a block, as content of a message. */
const contentOfBlock = (block: OpenBlock): Block => {
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
