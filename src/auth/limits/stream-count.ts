import { Problem } from '../../shared/problem.ts'

export interface StreamCountOptions {
  /** How many streams may be open in all. */
  total: number
  /** How many streams one caller may have open. */
  perCaller: number
}

/** An API key that may limit how many streams are open with it and the keys that it created. */
export interface KeyWithQuota {
  id: string
  name: string
  maxStreams?: number | undefined
}

/** Limits how many streams are open at once. */
export interface StreamCount {
  /**
   * Counts one more stream and returns how to uncount it. `keys` are the keys of the caller, each of
   * which can have a quota. Throws a `Problem`: 429 or 503.
   */
  add(caller: string, keys?: readonly KeyWithQuota[]): () => void
  /** How many streams are open now. */
  size(): number
}

export const createStreamCount = ({ total, perCaller }: StreamCountOptions): StreamCount => {
  const counts = new Map<string, number>()
  const countsByKey = new Map<string, number>()
  let sum = 0

  return {
    add(caller, keys = []) {
      if (sum >= total) throw tooMany(503, `${total} streams are open on this server`)
      const count = counts.get(caller) ?? 0
      if (count >= perCaller) throw tooMany(429, `${perCaller} streams are open with this key`)
      for (const key of keys) checkQuota(key, countsByKey.get(key.id) ?? 0)
      change(counts, caller, 1)
      for (const { id } of keys) change(countsByKey, id, 1)
      sum += 1
      let isCounted = true
      return () => {
        if (!isCounted) return
        isCounted = false
        sum -= 1
        change(counts, caller, -1)
        for (const { id } of keys) change(countsByKey, id, -1)
      }
    },
    size: () => sum,
  }
}

const change = (counts: Map<string, number>, name: string, by: number): void => {
  const count = (counts.get(name) ?? 0) + by
  if (count > 0) counts.set(name, count)
  else counts.delete(name)
}

const checkQuota = ({ name, maxStreams }: KeyWithQuota, count: number): void => {
  if (maxStreams === undefined || count < maxStreams) return
  throw new Problem(
    429,
    'quota_exceeded',
    `${maxStreams} streams are open with the key “${name}” (its limit). Close one, or create a key with a higher limit.`,
    { limit: maxStreams, retryAfter: retrySeconds },
    { 'Retry-After': String(retrySeconds) },
  )
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
