import { countOf, defined, type Fields, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { retryReasonOf } from '../retry-reason.ts'

/** The retries of a model call. The next answer ends them. */
export interface QwenRetry {
  start(data: Fields): void
  /** Ends the retries, if any; with an error if they failed. */
  end(finalError?: string): void
}

export const createQwenRetry = (emit: Emit): QwenRetry => {
  let attempts = 0
  return {
    start(data) {
      attempts += 1
      emit({
        type: 'auto_retry_start',
        attempt: countOf(data.attempt) ?? attempts,
        delayMs: countOf(data.delayMs) ?? 0,
        ...retryReasonOf({ error: stringOf(data.message) ?? stringOf(data.reason) }),
        ...defined({ maxAttempts: countOf(data.maxRetries) }),
      })
    },
    end(finalError) {
      if (attempts === 0) return
      attempts = 0
      const success = finalError === undefined
      emit({ type: 'auto_retry_end', success, ...defined({ finalError }) })
    },
  }
}
