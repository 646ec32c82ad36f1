import { defined } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { providerError } from '../provider-error.ts'
import { retryReasonOf } from '../retry-reason.ts'

/** A model call that failed and is made again. */
export interface Reconnection {
  attempt: number
  maxAttempts?: number
  /** Why it failed. */
  error?: string
  /** The HTTP status; null if there was no response. */
  status?: number | null
}

/** The retries of a model call. What the model does next ends them. */
export interface RetryTracker {
  start(reconnection: Reconnection): void
  /** Ends the retries, if any; with an error if they failed. */
  end(finalError?: string): void
}

export const createRetryTracker = (emit: Emit): RetryTracker => {
  let attempt: number | undefined

  return {
    start({ attempt: now, maxAttempts, error, status }) {
      attempt = now
      emit({
        type: 'auto_retry_start',
        attempt: now,
        // Codex does not say how long it waits.
        delayMs: 0,
        ...retryReasonOf({ error, status }),
        ...defined({ maxAttempts }),
      })
    },
    end(finalError) {
      if (attempt === undefined) return
      const error = finalError === undefined ? undefined : providerError(finalError).errorMessage
      const success = error === undefined
      emit({ type: 'auto_retry_end', success, attempt, ...defined({ finalError: error }) })
      attempt = undefined
    },
  }
}

/**
 * Reads `Reconnecting... 1/2 (why)`: an error that is not fatal. Undefined if the text is another error.
 */
export const reconnectionIn = (text: string): Reconnection | undefined => {
  const found = /^Reconnecting\.\.\. (\d+)\/(\d+)(?: \((.*)\))?$/s.exec(text)
  if (!found) return undefined
  const [, attempt, maxAttempts, error] = found
  return { attempt: Number(attempt), maxAttempts: Number(maxAttempts), ...defined({ error }) }
}
