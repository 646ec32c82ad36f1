import { Problem } from '../../shared/problem.ts'

export interface StreamCountOptions {
  /** How many streams may be open in all. */
  total: number
  /** How many streams one caller may have open. */
  perCaller: number
}

/** Limits how many streams are open at once. */
export interface StreamCount {
  /** Counts one more stream and returns how to uncount it. Throws a `Problem`: 429 or 503. */
  add(caller: string): () => void
  /** How many streams are open now. */
  size(): number
}

export const createStreamCount = ({ total, perCaller }: StreamCountOptions): StreamCount => {
  const counts = new Map<string, number>()
  let sum = 0

  return {
    add(caller) {
      if (sum >= total) throw tooMany(503, `${total} streams are open on this server`)
      const count = counts.get(caller) ?? 0
      if (count >= perCaller) throw tooMany(429, `${perCaller} streams are open with this key`)
      counts.set(caller, count + 1)
      sum += 1
      let isCounted = true
      return () => {
        if (!isCounted) return
        isCounted = false
        sum -= 1
        const left = (counts.get(caller) ?? 0) - 1
        if (left > 0) counts.set(caller, left)
        else counts.delete(caller)
      }
    },
    size: () => sum,
  }
}

const retrySeconds = 10

const tooMany = (status: number, reason: string): Problem =>
  new Problem(
    status,
    'too_many_connections',
    `${reason} (the limit). Close one, or retry in ${retrySeconds} seconds.`,
    { retryAfter: retrySeconds },
    { 'Retry-After': String(retrySeconds) },
  )
