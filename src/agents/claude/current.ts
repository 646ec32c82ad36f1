import type { Block, Message, Usage } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { createOpenMessage, type Failure } from '../open-message.ts'
import { blockOf, largerUsage, repeatsUsage, stopReasonOf, usageOf } from './wire.ts'

export interface CurrentOptions {
  id: string
  nativeId: string
  model: string | undefined
  /** It comes as stream events, which say when it stops. */
  streaming: boolean
}

/**
 * An assistant message that may still grow. Its blocks come whole, one `assistant` line each, or
 * first in pieces as stream events and then whole: the text is told once.
 */
export const createCurrent = (options: CurrentOptions, emit: Emit) => {
  const { id, nativeId, model, streaming } = options
  const open = createOpenMessage(id, emit)
  /** Kinds of the blocks that have begun in pieces and that no line has completed. */
  const begun = new Map<number, string>()
  const content: Block[] = []
  let usage: Usage = {}
  let lastUsage: unknown
  let stopReason: string | undefined
  let aborted = false

  const placeOf = (type: string): number => {
    for (const [index, kind] of begun) if (kind === type) return index
    let index = content.length
    while (open.has(index)) index += 1
    return index
  }

  const failure = (abandoned: boolean): Failure | undefined => {
    if (aborted) return { reason: 'aborted' }
    if (stopReason === 'interrupted') return { reason: 'interrupted' }
    return abandoned ? { reason: 'abandoned' } : undefined
  }

  /** Only with its stop reason does a message tell its final output. */
  const usageSoFar = (): Usage | undefined => {
    if (Object.keys(usage).length === 0) return undefined
    const isFinal = stopReason !== undefined && stopReason !== 'interrupted'
    return isFinal ? usage : { ...usage, estimated: true }
  }

  return {
    id,
    nativeId,
    streaming,
    note(message: Fields) {
      const stopped = stopReasonOf(message.stop_reason)
      if (stopped === undefined && lastUsage && repeatsUsage(lastUsage, message.usage)) return
      stopReason = stopped ?? stopReason
      lastUsage = message.usage
      usage = largerUsage(usage, usageOf(message.usage))
      const now = usageSoFar()
      if (now) open.usage(now)
    },
    abort() {
      aborted = true
    },
    interrupt() {
      stopReason ??= 'interrupted'
    },
    /** A block that is whole. */
    add(block: Fields) {
      const index = placeOf(stringOf(block.type) ?? 'unknown')
      const added = blockOf(block)
      begun.delete(index)
      content[index] = added
      if (added.type === 'text') open.complete(index, 'text', stringOf(added.text) ?? '')
      else if (added.type === 'thinking' && !added.redacted)
        open.complete(index, 'thinking', stringOf(added.thinking) ?? '')
      else if (added.type === 'toolCall')
        open.endTool(index, stringOf(block.id) ?? '', stringOf(block.name) ?? '', block.input ?? {})
    },
    begin(index: number, block: Fields) {
      const type = stringOf(block.type) ?? 'unknown'
      begun.set(index, type)
      if (type === 'text' || type === 'thinking') open.start(index, type)
      else if (type === 'tool_use' || type === 'server_tool_use')
        open.startTool(index, stringOf(block.id) ?? '', stringOf(block.name) ?? '')
    },
    grow(index: number, value: unknown) {
      const delta = fieldsOf(value)
      if (!open.has(index)) begun.set(index, delta.type === 'thinking_delta' ? 'thinking' : 'text')
      if (delta.type === 'text_delta') open.delta(index, 'text', stringOf(delta.text) ?? '')
      else if (delta.type === 'thinking_delta')
        open.delta(index, 'thinking', stringOf(delta.thinking) ?? '')
      else if (delta.type === 'input_json_delta')
        open.toolDelta(index, stringOf(delta.partial_json) ?? '')
    },
    stopBlock(index: number) {
      if (!begun.has(index)) open.end(index)
    },
    /** The first block that nothing vouches for: it streamed, and no line has completed it. */
    unfinished: (): number => Math.min(Infinity, ...begun.keys()),
    hasStopped: () => stopReason !== undefined,
    /** Ends the message. Blocks from `voidFrom` on were given up by the agent. */
    finish(voidFrom: number): Message {
      const isWhole = begun.size === 0 && voidFrom === Infinity
      const streamed = isWhole ? content : open.content()
      const abandoned = streamed.length > voidFrom
      for (const index of begun.keys())
        if (index < voidFrom) content[index] = streamed[index] ?? { type: 'text', text: '' }
      const kept = isWhole ? content : content.filter((block, index) => block && index < voidFrom)
      const failed = failure(abandoned)
      const message: Message = {
        role: 'assistant',
        content: kept,
        ...defined({
          model,
          usage: usageSoFar(),
          stopReason: failed?.reason ?? stopReason ?? impliedStop(kept),
          nativeId,
        }),
      }
      open.finish(message, failed)
      if (abandoned) withdraw(voidFrom)
      return message
    },
  }

  function withdraw(from: number) {
    emit({
      type: 'message_withdrawn',
      messageId: id,
      reason: 'abandoned',
      ...(from > 0 && { fromContentIndex: from }),
    })
  }
}
export type Current = ReturnType<typeof createCurrent>

/** Claude leaves the reason out of most lines; a call for a tool is one all the same. */
const impliedStop = (content: readonly Block[]): string | undefined =>
  content.some((block) => block.type === 'toolCall') ? 'toolUse' : undefined
