import type { AssistantMessageEvent, Block, Message, Usage } from '../events/types.ts'
import type { Emit } from './emit.ts'
import { beginsWith, endsInHalf } from './strings.ts'

type Kind = 'text' | 'thinking' | 'toolCall'

interface OpenBlock {
  kind: Kind
  open: boolean
  /** What was streamed of it: text, thinking, or the JSON text of the arguments. */
  streamed: string
  /** Half a character that waits for the next delta. */
  held: string
  id: string
  name: string
  input: unknown
}

export interface Failure {
  reason: string
  errorMessage?: string
}

/**
 * An assistant message in flight. Both decoders feed it; it gives the updates in the one order
 * that readers are promised: blocks start, grow, end; the last update is `done` or `error`.
 */
export const createOpenMessage = (id: string, emit: Emit) => {
  const blocks = new Map<number, OpenBlock>()
  let lastUsage: Usage | undefined

  const update = (assistantMessageEvent: AssistantMessageEvent) =>
    emit({ type: 'message_update', messageId: id, assistantMessageEvent })

  const begin = (index: number, kind: Kind, toolCallId = '', name = ''): OpenBlock => {
    const block: OpenBlock = {
      kind,
      open: true,
      streamed: '',
      held: '',
      id: toolCallId,
      name,
      input: undefined,
    }
    blocks.set(index, block)
    if (kind === 'text') update({ type: 'text_start', contentIndex: index })
    else if (kind === 'thinking') update({ type: 'thinking_start', contentIndex: index })
    else update({ type: 'tool_use_start', contentIndex: index, toolCallId, name, input: {} })
    return block
  }

  const growBlock = (index: number, block: OpenBlock, delta: string) => {
    if (delta === '') return
    block.streamed += delta
    const contentIndex = index
    if (block.kind === 'text') update({ type: 'text_delta', contentIndex, delta })
    else if (block.kind === 'thinking') update({ type: 'thinking_delta', contentIndex, delta })
    else
      update({
        type: 'tool_use_input_delta',
        contentIndex,
        toolCallId: block.id,
        partialInput: delta,
      })
  }

  /** Text as it comes from the agent, which may cut a character in two. */
  const feed = (index: number, block: OpenBlock, delta: string) => {
    const text = block.held === '' ? delta : block.held + delta
    block.held = endsInHalf(text) ? text.slice(-1) : ''
    growBlock(index, block, block.held === '' ? text : text.slice(0, -1))
  }

  const takeHeld = (block: OpenBlock): string => {
    const { held } = block
    block.held = ''
    return held
  }

  const blockAt = (index: number, kind: Kind): OpenBlock => {
    const block = blocks.get(index)
    return block?.kind === kind ? block : begin(index, kind)
  }

  const close = (index: number, block: OpenBlock) => {
    if (!block.open) return
    growBlock(index, block, takeHeld(block))
    block.open = false
    const contentIndex = index
    if (block.kind === 'text') update({ type: 'text_end', contentIndex })
    else if (block.kind === 'thinking') update({ type: 'thinking_end', contentIndex })
    else {
      const { id: toolCallId, name } = block
      update({ type: 'tool_use_end', contentIndex, toolCallId, name, input: inputOf(block) })
    }
  }

  /** Streams what the agent gave only in its closing words. */
  const complete = (index: number, kind: 'text' | 'thinking', whole: string) => {
    const known = blocks.get(index)
    if (whole === '' && !known) return
    const block = known?.kind === kind ? known : begin(index, kind)
    const seen = block.streamed + takeHeld(block)
    if (whole !== seen && beginsWith(whole, seen))
      growBlock(index, block, whole.slice(block.streamed.length))
    close(index, block)
  }

  return {
    id,
    start(index: number, kind: 'text' | 'thinking') {
      if (!blocks.has(index)) begin(index, kind)
    },
    delta(index: number, kind: 'text' | 'thinking', delta: string) {
      feed(index, blockAt(index, kind), delta)
    },
    complete,
    startTool(index: number, toolCallId: string, name: string) {
      if (!blocks.has(index)) begin(index, 'toolCall', toolCallId, name)
    },
    toolDelta(index: number, delta: string) {
      const block = blocks.get(index)
      if (block?.kind === 'toolCall') feed(index, block, delta)
    },
    endTool(index: number, toolCallId: string, name: string, input: unknown) {
      const known = blocks.get(index)
      const block = known?.kind === 'toolCall' ? known : begin(index, 'toolCall', toolCallId, name)
      block.id ||= toolCallId
      block.name ||= name
      block.input = input
      close(index, block)
    },
    /** Ends the block as it stands. */
    end(index: number) {
      const block = blocks.get(index)
      if (block) close(index, block)
    },
    has: (index: number) => blocks.has(index),
    usage(usage: Usage) {
      if (lastUsage && sameUsage(lastUsage, usage)) return
      lastUsage = usage
      update({ type: 'usage', usage })
    },
    /** What was streamed so far, as content. */
    content: (): Block[] =>
      [...blocks.entries()]
        .sort(([left], [right]) => left - right)
        .map(([, block]) => asBlock(block)),
    /** Ends the message: `message` is what stands from now on. */
    finish(message: Message, failure?: Failure) {
      message.content.forEach((block, index) => {
        if (block.type === 'text' && typeof block.text === 'string')
          complete(index, 'text', block.text)
        else if (block.type === 'thinking' && typeof block.thinking === 'string')
          complete(index, 'thinking', block.thinking)
      })
      for (const [index, block] of blocks) close(index, block)
      if (message.usage) this.usage(message.usage)
      update(failure ? { type: 'error', ...failure } : done(message.stopReason))
      emit({ type: 'message_end', messageId: id, message })
    },
  }
}
export type OpenMessage = ReturnType<typeof createOpenMessage>

const sameUsage = (left: Usage, right: Usage): boolean =>
  left.input === right.input &&
  left.output === right.output &&
  left.cacheRead === right.cacheRead &&
  left.cacheWrite === right.cacheWrite &&
  left.reasoning === right.reasoning &&
  left.estimated === right.estimated &&
  left.cost?.total === right.cost?.total

const done = (reason: string | undefined): AssistantMessageEvent =>
  reason === undefined ? { type: 'done' } : { type: 'done', reason }

const inputOf = (block: OpenBlock): unknown => {
  if (block.input !== undefined) return block.input
  try {
    return JSON.parse(block.streamed)
  } catch {
    return {}
  }
}

const asBlock = (block: OpenBlock): Block => {
  if (block.kind === 'text') return { type: 'text', text: block.streamed }
  if (block.kind === 'thinking') return { type: 'thinking', thinking: block.streamed }
  return { type: 'toolCall', id: block.id, name: block.name, arguments: inputOf(block) }
}
