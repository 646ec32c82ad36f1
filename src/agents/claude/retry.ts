import type { AgentEvent } from '../../events/types.ts'
import { countOf, defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { retryReasonOf } from '../retry-reason.ts'

/** The retries of a model call. The next assistant message ends them. */
export interface RetryTracker {
  start(line: Fields): void
  /** Ends the retries, if any; with an error if they failed. */
  end(finalError?: string): void
}

export const createRetryTracker = (emit: Emit): RetryTracker => {
  let isRetrying = false

  return {
    start(line) {
      isRetrying = true
      emit(retryEvent(line))
    },
    end(finalError) {
      if (!isRetrying) return
      isRetrying = false
      emit({
        type: 'auto_retry_end',
        success: finalError === undefined,
        ...defined({ finalError }),
      })
    },
  }
}

const retryEvent = (line: Fields): AgentEvent => ({
  type: 'auto_retry_start',
  attempt: countOf(line.attempt) ?? 1,
  delayMs: countOf(line.retry_delay_ms) ?? 0,
  ...retryReasonOf({
    error: stringOf(line.error) ?? stringOf(line.error_category),
    status: line.error_status === null ? null : countOf(line.error_status),
  }),
  ...defined({ maxAttempts: countOf(line.max_retries) }),
})

/** A `tool_progress` line has nothing new, except the retry of a subagent. */
export const toolProgress = (line: Fields): AgentEvent | undefined => {
  const retry = fieldsOf(line.subagent_retry)
  if (retry.attempt === undefined) return undefined
  return {
    ...retryEvent(retry),
    ...defined({ parentToolCallId: stringOf(line.parent_tool_use_id) }),
  }
}
