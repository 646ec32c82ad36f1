import { Problem } from '../../shared/problem.ts'

export interface BodiesOptions {
  /** How many bytes of large bodies may be in memory at once, of all callers. */
  total: number
  /** Smaller bodies do not count. */
  small?: number
}

/** One body on its way in. */
export interface Room {
  /** It has become this large. Throws a `Problem` 503 where there is no room for that. */
  grow(size: number): void
  /** It is done with. */
  leave(): void
}

/** Counts the bytes of large bodies until they are done with. */
export const createBodies = ({ total, small = 256 * 1024 }: BodiesOptions) => {
  let sum = 0

  return {
    enter(): Room {
      let counted = 0
      return {
        grow(size) {
          if (size <= small) return
          if (sum - counted + size > total) throw full()
          sum += size - counted
          counted = size
        },
        leave() {
          sum -= counted
          counted = 0
        },
      }
    },
    /** How many bytes there are now. */
    size: () => sum,
  }
}
export type Bodies = ReturnType<typeof createBodies>

const retrySeconds = 2

const full = (): Problem =>
  new Problem(
    503,
    'overloaded',
    'Too many large bodies are on their way: come back later.',
    { retryAfter: retrySeconds },
    { 'Retry-After': String(retrySeconds) },
  )
