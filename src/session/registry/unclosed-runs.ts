import type { InterruptReason } from '../../log/interrupt-reason.ts'

/** Sessions whose runs could not be closed in the log, because it could not be written. */
export interface UnclosedRuns {
  /** Remembers why the run of a session was interrupted. The first reason counts. */
  add(sessionId: string, reason: InterruptReason): void
  /** Why the run of a session was interrupted; undefined if nothing is left to close. */
  reasonOf(sessionId: string): InterruptReason | undefined
  /** The run is closed. */
  remove(sessionId: string): void
  sessionIds(): string[]
}

export const createUnclosedRuns = (): UnclosedRuns => {
  const reasons = new Map<string, InterruptReason>()
  return {
    add(sessionId, reason) {
      if (!reasons.has(sessionId)) reasons.set(sessionId, reason)
    },
    reasonOf: (sessionId) => reasons.get(sessionId),
    remove: (sessionId) => void reasons.delete(sessionId),
    sessionIds: () => [...reasons.keys()],
  }
}
