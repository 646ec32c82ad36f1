import { countOf, defined, type Fields, fieldsOf, ownValue, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'

const reasons: Readonly<Record<string, string>> = { auto: 'threshold', manual: 'manual' }

/**
 * A compaction arrives in parts: a status, its result, a boundary with the numbers, then the summary
 * as a user message. Old versions have the boundary only.
 */
export interface CompactionTracker {
  start(): void
  /** The status line that ends a compaction. After a success, the boundary has the details. */
  outcome(line: Fields): void
  boundary(line: Fields): void
  /** Whether a user text is the summary that the boundary announced. */
  acceptsSummary(text: string): boolean
  /** The conversation continues, so no summary will come. */
  conversationContinues(): void
  /** The stream is over. */
  close(): void
}

export const createCompactionTracker = (emit: Emit): CompactionTracker => {
  let isRunning = false
  let boundary: { reason?: string; tokensBefore?: number; tokensAfter?: number } | undefined

  const start = (reason?: string) => {
    if (isRunning) return
    isRunning = true
    emit({ type: 'compaction_start', ...defined({ reason }) })
  }

  const end = (outcome: { summary?: string; errorMessage?: string; aborted?: boolean }) => {
    if (!isRunning) return
    isRunning = false
    emit({ type: 'compaction_end', ...boundary, ...outcome })
    boundary = undefined
  }

  return {
    start,
    outcome(line) {
      if (line.compact_result === 'failed')
        end({ errorMessage: stringOf(line.compact_error) ?? 'compaction failed' })
    },
    boundary(line) {
      const metadata = fieldsOf(line.compact_metadata)
      const trigger = stringOf(metadata.trigger)
      const reason = trigger === undefined ? undefined : (ownValue(reasons, trigger) ?? trigger)
      start(reason)
      boundary = defined({
        reason,
        tokensBefore: countOf(metadata.pre_tokens),
        tokensAfter: countOf(metadata.post_tokens),
      })
    },
    acceptsSummary(text) {
      if (!boundary) return false
      end({ summary: text })
      return true
    },
    conversationContinues() {
      if (boundary) end({})
    },
    close() {
      if (boundary) end({})
      else end({ aborted: true })
    },
  }
}
