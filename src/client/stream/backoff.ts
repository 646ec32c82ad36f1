const seconds = [1, 2, 4, 8, 16, 30] as const
const longestMs = 30_000

/** Up to a quarter more or less, so that many clients do not come back in one moment. */
const jitter = 0.25

/** The longest that a server may ask for. */
const longestAskedMs = 300_000

export interface RetryHint {
  /** `retry:` of the stream: when to come back the first time. */
  retryMs?: number | undefined
  /** `Retry-After` of a refusal, in seconds: when at the earliest. */
  retryAfter?: number | undefined
}

/** How long to wait, in ms, before a try; the first is 0. `random` is from 0 to 1. */
export const retryDelay = (attempt: number, random: number, asked: RetryHint = {}): number => {
  const { retryMs: hintMs, retryAfter = 0 } = asked
  const isHinted = attempt === 0 && hintMs !== undefined
  const wanted = isHinted ? Math.min(hintMs, longestMs) : (seconds[attempt] ?? 30) * 1000
  const spread = Math.round(wanted * (1 - jitter + 2 * jitter * random))
  return Math.max(spread, Math.min(retryAfter * 1000, longestAskedMs))
}
