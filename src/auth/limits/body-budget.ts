import { Problem } from '../../shared/problem.ts'

export interface BodyBudgetOptions {
  /** How many bytes of large bodies may be in memory at once, over all callers. */
  total: number
  /** Bodies up to this size do not count. Default: 256 KiB. */
  small?: number
}

/** The share of one request body in the budget. */
export interface BodyReservation {
  /** Sets the size of the body so far. Throws a `Problem` 503 when the budget is used up. */
  grow(size: number): void
  /** Returns the bytes to the budget. */
  release(): void
}

/** Limits how many bytes of large request bodies are in memory at once. */
export interface BodyBudget {
  reserve(): BodyReservation
  /** How many bytes are reserved now. */
  size(): number
}

export const createBodyBudget = ({ total, small = 256 * 1024 }: BodyBudgetOptions): BodyBudget => {
  let used = 0

  return {
    reserve() {
      let reserved = 0
      return {
        grow(size) {
          if (size <= small) return
          if (used - reserved + size > total) throw overloaded()
          used += size - reserved
          reserved = size
        },
        release() {
          used -= reserved
          reserved = 0
        },
      }
    },
    size: () => used,
  }
}

const retrySeconds = 2

const overloaded = (): Problem =>
  new Problem(
    503,
    'overloaded',
    `The server is receiving too many large bodies at once. Retry in ${retrySeconds} seconds.`,
    { retryAfter: retrySeconds },
    { 'Retry-After': String(retrySeconds) },
  )
