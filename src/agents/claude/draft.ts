import type { Block, Message, Usage } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { createOpenMessage, type MessageFailure, type OpenMessage } from '../open-message.ts'
import { blockOf, largerUsage, repeatsUsage, stopReasonOf, timestampOf, usageOf } from './wire.ts'

export interface DraftOptions {
  id: string
  nativeId: string
  model: string | undefined
  /** Arrives as stream events, which say when it stops. */
  isStreaming: boolean
}

/** An assistant message that may still grow. */
export interface Draft {
  readonly nativeId: string
  readonly isStreaming: boolean
  readonly blocks: DraftBlocks
  /** Notes the usage and the stop reason of a line. */
  note(message: Fields): void
  /** Notes the time of a line: the first one counts. */
  stamp(line: Fields): void
  /** A person stopped the message. */
  abort(): void
  /** The stream ended inside the message. */
  interrupt(): void
  /** Whether the agent has given a stop reason. */
  hasStopped(): boolean
  /** Ends the message. Its blocks from `voidFrom` on were abandoned by the agent. */
  finish(voidFrom: number): Message
}

/** The blocks of a draft. A block arrives whole, or first in deltas and then whole. */
export interface DraftBlocks {
  /** Adds a whole block; its text is emitted only once. */
  add(block: Fields): void
  /** Starts a block that arrives in deltas. */
  begin(index: number, block: Fields): void
  /** Appends a delta. */
  grow(index: number, delta: unknown): void
  /** The deltas of a block are over. It ends here, unless the whole block follows. */
  stop(index: number): void
  /** The first block that arrived in deltas and not yet whole; `Infinity` if there is none. */
  firstUnfinished(): number
  /** The content before `voidFrom`, and whether a block after it was abandoned. */
  contentBefore(voidFrom: number): { content: Block[]; isAbandoned: boolean }
}

export const createDraft = (options: DraftOptions, emit: Emit): Draft => {
  const { id, nativeId, model, isStreaming } = options
  const open = createOpenMessage(id, emit)
  const blocks = createDraftBlocks(open)
  let usage: Usage = {}
  let lastUsage: unknown
  let stopReason: string | undefined
  let isAborted = false
  let timestamp: number | undefined

  /** The output is final only once there is a stop reason. */
  const usageSoFar = (): Usage | undefined => {
    if (Object.keys(usage).length === 0) return undefined
    const isFinal = stopReason !== undefined && stopReason !== 'interrupted'
    return isFinal ? usage : { ...usage, estimated: true }
  }

  const failureOf = (isAbandoned: boolean): MessageFailure | undefined => {
    if (isAborted) return { reason: 'aborted' }
    if (stopReason === 'interrupted') return { reason: 'interrupted' }
    return isAbandoned ? { reason: 'abandoned' } : undefined
  }

  return {
    nativeId,
    isStreaming,
    blocks,
    note(message) {
      const reason = stopReasonOf(message.stop_reason)
      if (reason === undefined && lastUsage && repeatsUsage(lastUsage, message.usage)) return
      stopReason = reason ?? stopReason
      lastUsage = message.usage
      usage = largerUsage(usage, usageOf(message.usage))
      const now = usageSoFar()
      if (now) open.usage(now)
    },
    stamp(line) {
      timestamp ??= timestampOf(line)
    },
    abort() {
      isAborted = true
    },
    interrupt() {
      stopReason ??= 'interrupted'
    },
    hasStopped: () => stopReason !== undefined,
    finish(voidFrom) {
      const { content, isAbandoned } = blocks.contentBefore(voidFrom)
      const failure = failureOf(isAbandoned)
      const message: Message = {
        role: 'assistant',
        content,
        ...defined({
          model,
          usage: usageSoFar(),
          stopReason: failure?.reason ?? stopReason ?? impliedStop(content),
          timestamp,
          nativeId,
        }),
      }
      open.finish(message, failure)
      if (isAbandoned) emit(withdrawal(id, voidFrom))
      return message
    },
  }
}

const withdrawal = (messageId: string, from: number) => ({
  type: 'message_withdrawn' as const,
  messageId,
  reason: 'abandoned' as const,
  ...(from > 0 && { fromContentIndex: from }),
})

/** Most lines have no stop reason. A message that calls a tool has stopped for it. */
const impliedStop = (content: readonly Block[]): string | undefined =>
  content.some((block) => block.type === 'toolCall') ? 'toolUse' : undefined

const createDraftBlocks = (open: OpenMessage): DraftBlocks => {
  /** Types of the blocks that have begun in deltas and that no whole block has completed. */
  const begun = new Map<number, string>()
  const content: Block[] = []

  const positionOf = (type: string): number => {
    for (const [index, each] of begun) if (each === type) return index
    let index = content.length
    while (open.has(index)) index += 1
    return index
  }

  return {
    add(block) {
      const index = positionOf(stringOf(block.type) ?? 'unknown')
      const added = blockOf(block)
      begun.delete(index)
      content[index] = added
      if (added.type === 'text') open.complete(index, 'text', stringOf(added.text) ?? '')
      else if (added.type === 'thinking' && !added.redacted)
        open.complete(index, 'thinking', stringOf(added.thinking) ?? '')
      else if (added.type === 'toolCall')
        open.endTool(index, stringOf(block.id) ?? '', stringOf(block.name) ?? '', block.input ?? {})
    },
    begin(index, block) {
      const type = stringOf(block.type) ?? 'unknown'
      begun.set(index, type)
      if (type === 'text' || type === 'thinking') open.start(index, type)
      else if (type === 'tool_use' || type === 'server_tool_use')
        open.startTool(index, stringOf(block.id) ?? '', stringOf(block.name) ?? '')
    },
    grow(index, value) {
      const delta = fieldsOf(value)
      if (!open.has(index)) begun.set(index, delta.type === 'thinking_delta' ? 'thinking' : 'text')
      if (delta.type === 'text_delta') open.delta(index, 'text', stringOf(delta.text) ?? '')
      else if (delta.type === 'thinking_delta')
        open.delta(index, 'thinking', stringOf(delta.thinking) ?? '')
      else if (delta.type === 'input_json_delta')
        open.toolDelta(index, stringOf(delta.partial_json) ?? '')
    },
    stop(index) {
      if (!begun.has(index)) open.end(index)
    },
    firstUnfinished: () => Math.min(Infinity, ...begun.keys()),
    contentBefore(voidFrom) {
      if (begun.size === 0 && voidFrom === Infinity) return { content, isAbandoned: false }
      const streamed = open.content()
      for (const index of begun.keys())
        if (index < voidFrom) content[index] = streamed[index] ?? { type: 'text', text: '' }
      return {
        content: content.filter((block, index) => block && index < voidFrom),
        isAbandoned: streamed.length > voidFrom,
      }
    },
  }
}
