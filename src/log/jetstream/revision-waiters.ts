import { closedLog, LogFault } from '../log-fault.ts'

/** Callers that wait until the index has reached a revision. */
export interface RevisionWaiters {
  /** The last revision that the index has. */
  reached(): number
  /** Throws `unreachable` when the index has not reached the revision within `ms`. */
  wait(revision: number, ms?: number): Promise<void>
  /** The index has everything up to a revision. */
  advance(revision: number): void
  /** Whether somebody has waited for this long. Everybody then waits again from now on. */
  haveWaited(ms: number): boolean
  /** Rejects everybody with `closed`. */
  close(): void
}

/** How long a caller waits. */
const patienceMs = 10_000

const lateIndex = (): LogFault =>
  new LogFault(
    'unreachable',
    'The change was stored, but NATS has not delivered it to this node yet.',
  )

interface Waiter extends PromiseWithResolvers<void> {
  readonly revision: number
  since: number
}

export const createRevisionWaiters = (): RevisionWaiters => {
  const waiters = new Set<Waiter>()
  let reached = 0
  let isClosed = false
  return {
    reached: () => reached,
    async wait(revision, ms = patienceMs) {
      if (isClosed) throw closedLog()
      if (revision <= reached) return
      const waiter = { ...Promise.withResolvers<void>(), revision, since: performance.now() }
      waiters.add(waiter)
      const timer = setTimeout(() => waiter.reject(lateIndex()), ms)
      try {
        await waiter.promise
      } finally {
        clearTimeout(timer)
        waiters.delete(waiter)
      }
    },
    advance(revision) {
      reached = Math.max(reached, revision)
      for (const waiter of waiters) {
        if (waiter.revision > reached) continue
        waiters.delete(waiter)
        waiter.resolve()
      }
    },
    haveWaited(ms) {
      const now = performance.now()
      if (![...waiters].some(({ since }) => now - since >= ms)) return false
      for (const waiter of waiters) waiter.since = now
      return true
    },
    close() {
      isClosed = true
      for (const waiter of waiters) waiter.reject(closedLog())
      waiters.clear()
    },
  }
}
