import { Problem } from '../../shared/problem.ts'

export interface RequestRateOptions {
  /** How many requests a caller may send at once after a pause. */
  burst: number
  /** How many requests a second a caller may send in the long run. */
  perSecond: number
  /** How many callers are remembered. Default: 10,000. */
  callers?: number
  now?(): number
}

/** Limits requests with a token bucket per caller. */
export interface RequestRate {
  /** Counts one request. Throws a `Problem` 429 that says when to retry. */
  consume(caller: string): void
  /** How many callers are remembered now. */
  size(): number
}

interface Bucket {
  tokens: number
  /** When it held that many. */
  at: number
}

export const createRequestRate = (options: RequestRateOptions): RequestRate => {
  const { burst, perSecond, callers = 10_000, now = Date.now } = options
  /** In the order of the last request: the first caller is forgotten first. */
  const buckets = new Map<string, Bucket>()

  const levelOf = (bucket: Bucket | undefined, time: number): number => {
    if (!bucket) return burst
    const refilled = (Math.max(0, time - bucket.at) / 1000) * perSecond
    return Math.min(burst, bucket.tokens + refilled)
  }

  return {
    consume(caller) {
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
    size: () => buckets.size,
  }
}

const rateLimited = (seconds: number): Problem =>
  new Problem(
    429,
    'rate_limited',
    `Too many requests. Retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    { retryAfter: seconds },
    { 'Retry-After': String(seconds) },
  )
