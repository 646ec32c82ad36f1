import { Problem } from '../../shared/problem.ts'

export interface ConnectionOptions {
  /** How many streams may be open in all. */
  total: number
  /** How many of one caller. */
  perCaller: number
}

/** Counts streams that are open. */
export const createConnections = ({ total, perCaller }: ConnectionOptions) => {
  const open = new Map<string, number>()
  let sum = 0

  return {
    /** Counts one more, and gives how to count it off. Throws a `Problem` where there is no room. */
    enter(caller: string): () => void {
      if (sum >= total) throw full(503, `${total} streams are open here.`)
      const count = open.get(caller) ?? 0
      if (count >= perCaller) throw full(429, `${perCaller} streams are open with this key.`)
      open.set(caller, count + 1)
      sum += 1
      let isInside = true
      return () => {
        if (!isInside) return
        isInside = false
        sum -= 1
        const left = (open.get(caller) ?? 0) - 1
        if (left > 0) open.set(caller, left)
        else open.delete(caller)
      }
    },
    /** How many are open now. */
    size: () => sum,
  }
}
export type Connections = ReturnType<typeof createConnections>

const retrySeconds = 10

const full = (status: number, detail: string): Problem =>
  new Problem(
    status,
    'too_many_connections',
    `${detail} Close one, or come back later.`,
    { retryAfter: retrySeconds },
    { 'Retry-After': String(retrySeconds) },
  )
