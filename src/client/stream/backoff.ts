const delaysSeconds = [1, 2, 4, 8, 16, 30] as const
const longestMs = 30_000

/**
 * Up to a quarter more or less, so that many clients do not reconnect at the same moment. No delay
 * is over 30 s: the longest ones are only shortened.
 */
const jitter = 0.25

/** The longest `Retry-After` that is respected. */
const longestRetryAfterMs = 300_000

/** What the server asked for. */
export interface RetryHint {
  /** `retry:` of the stream: the delay before the first try. */
  retryMs?: number | undefined
  /** `Retry-After` of a refusal: the least delay, in seconds. */
  retryAfter?: number | undefined
}

/** How many ms to wait before a try; `attempt` counts from 0, `random` is from 0 to 1. */
export const retryDelay = (attempt: number, random: number, hint: RetryHint = {}): number => {
  const { retryMs, retryAfter = 0 } = hint
  const isHinted = attempt === 0 && retryMs !== undefined
  const plannedMs = isHinted ? Math.min(retryMs, longestMs) : (delaysSeconds[attempt] ?? 30) * 1000
  const leastMs = plannedMs * (1 - jitter)
  const mostMs = Math.min(plannedMs * (1 + jitter), longestMs)
  const spreadMs = Math.round(leastMs + (mostMs - leastMs) * random)
  return Math.max(spreadMs, Math.min(retryAfter * 1000, longestRetryAfterMs))
}
