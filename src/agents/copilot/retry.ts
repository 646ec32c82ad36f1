import type { AgentEvent } from '../../events/types.ts'
import { countOf, defined, type Fields } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { retryReasonOf } from '../retry-reason.ts'
import { callErrorOf } from './wire.ts'

/** The retries of a model call. The next assistant message ends them. */
export interface RetryTracker {
  /** A `model.call_failure` line. */
  failed(data: Fields): void
  /** An `assistant.turn_retry` line. The wait before the retry is over by then. */
  start(data: Fields): void
  /** Ends the retries, if any; with an error if they failed. */
  end(finalError?: string): void
}

export const createRetryTracker = (emit: Emit): RetryTracker => {
  let failure: Fields = {}
  /** How many retries were made; 0 while there are none. */
  let attempt = 0

  return {
    failed(data) {
      failure = data
    },
    start(data) {
      attempt = (countOf(failure.retryAttempt) ?? attempt) + 1
      emit(retryEvent(failure, data, attempt))
    },
    end(finalError) {
      if (attempt === 0) return
      const success = finalError === undefined
      emit({ type: 'auto_retry_end', success, attempt, ...defined({ finalError }) })
      attempt = 0
      failure = {}
    },
  }
}

const retryEvent = (failure: Fields, { reason }: Fields, attempt: number): AgentEvent => ({
  type: 'auto_retry_start',
  attempt,
  delayMs: 0,
  ...retryReasonOf({
    error: callErrorOf(failure) ?? (typeof reason === 'string' ? reason : undefined),
    status: failure.failureKind === 'transport' ? null : countOf(failure.statusCode),
  }),
})
