import { Problem } from '../../shared/problem.ts'

export interface RateOptions {
  /** How many requests may come at once, after a pause. */
  burst: number
  /** How many in each second in the long run. */
  perSecond: number
  /** How many callers are remembered. */
  callers?: number
  now?(): number
}

interface Bucket {
  tokens: number
  /** When it held that many. */
  at: number
}

/** A bucket for each caller: every request takes a token, and time brings them back. */
export const createRate = (options: RateOptions) => {
  const { burst, perSecond, callers = 10_000, now = Date.now } = options
  /** Those who asked last stand last. */
  const buckets = new Map<string, Bucket>()

  const levelOf = (bucket: Bucket | undefined, time: number): number => {
    if (!bucket) return burst
    const grown = (Math.max(0, time - bucket.at) / 1000) * perSecond
    return Math.min(burst, bucket.tokens + grown)
  }

  return {
    /** Takes one. Throws a `Problem` 429 that says when to come back. */
    take(caller: string): void {
      const time = now()
      const level = levelOf(buckets.get(caller), time)
      buckets.delete(caller)
      if (level < 1) {
        buckets.set(caller, { tokens: level, at: time })
        throw rateLimited(Math.ceil((1 - level) / perSecond))
      }
      buckets.set(caller, { tokens: level - 1, at: time })
      for (const [oldest] of buckets) {
        if (buckets.size <= callers) break
        buckets.delete(oldest)
      }
    },
    /** How many callers are remembered now. */
    size: () => buckets.size,
  }
}

const rateLimited = (seconds: number): Problem =>
  new Problem(
    429,
    'rate_limited',
    `Too many requests: come back in ${seconds} s.`,
    { retryAfter: seconds },
    { 'Retry-After': String(seconds) },
  )
