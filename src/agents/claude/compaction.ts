import type { AgentEvent } from '../../events/types.ts'
import { countOf, defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'

const reasons: Readonly<Record<string, string>> = { auto: 'threshold', manual: 'manual' }

/**
 * A compaction comes in pieces: a status, its result, a boundary with the numbers, then the
 * summary as a user message. Old versions have the boundary only.
 */
export const createCompaction = (emit: (event: AgentEvent) => void) => {
  let running = false
  let boundary: { reason?: string; tokensBefore?: number; tokensAfter?: number } | undefined

  const start = (reason?: string) => {
    if (running) return
    running = true
    emit({ type: 'compaction_start', ...defined({ reason }) })
  }

  const end = (more: { summary?: string; errorMessage?: string; aborted?: boolean }) => {
    if (!running) return
    running = false
    emit({ type: 'compaction_end', ...boundary, ...more })
    boundary = undefined
  }

  return {
    start,
    /** The status line that ends it; success is told in full by the boundary that follows. */
    outcome(line: Fields) {
      if (line.compact_result === 'failed')
        end({ errorMessage: stringOf(line.compact_error) ?? 'compaction failed' })
    },
    boundary(line: Fields) {
      const metadata = fieldsOf(line.compact_metadata)
      const trigger = stringOf(metadata.trigger)
      const reason = trigger === undefined ? undefined : (reasons[trigger] ?? trigger)
      start(reason)
      boundary = defined({
        reason,
        tokensBefore: countOf(metadata.pre_tokens),
        tokensAfter: countOf(metadata.post_tokens),
      })
    },
    /** True when this user text is the summary that the boundary announced. */
    takes(text: string): boolean {
      if (!boundary) return false
      end({ summary: text })
      return true
    },
    /** The conversation goes on: no summary will come any more. */
    passed() {
      if (boundary) end({})
    },
    close() {
      if (boundary) end({})
      else end({ aborted: true })
    },
  }
}
