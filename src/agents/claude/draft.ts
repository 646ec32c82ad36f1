import type { Block, Message, Usage } from '../../events/types.ts'
import { defined, type Fields } from '../../shared/fields.ts'
import type { Emit } from '../event-collector.ts'
import { createOpenMessage, type MessageFailure } from '../open-message.ts'
import { createDraftBlocks, type DraftBlocks } from './draft-blocks.ts'
import { largerUsage, repeatsUsage, stopReasonOf, usageOf } from './wire.ts'

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
  /** A person stopped the message. */
  abort(): void
  /** The stream ended inside the message. */
  interrupt(): void
  /** Whether the agent has given a stop reason. */
  hasStopped(): boolean
  /** Ends the message. Its blocks from `voidFrom` on were abandoned by the agent. */
  finish(voidFrom: number): Message
}

export const createDraft = (options: DraftOptions, emit: Emit): Draft => {
  const { id, nativeId, model, isStreaming } = options
  const open = createOpenMessage(id, emit)
  const blocks = createDraftBlocks(open)
  let usage: Usage = {}
  let lastUsage: unknown
  let stopReason: string | undefined
  let isAborted = false

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
