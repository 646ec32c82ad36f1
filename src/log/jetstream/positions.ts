import type { PackedRange } from './packed-events.ts'

/** Where a message of a session is in the stream. It never changes. */
export interface Position extends PackedRange {
  readonly streamSeq: number
}

/** Some positions of some sessions, so that a read need not search for its start. */
export interface Positions {
  /** The last known position at or before an event. */
  before(sessionId: string, seq: number): Position | undefined
  add(sessionId: string, position: Position): void
  forget(sessionId: string): void
}

/** How many positions are kept of a session, and of how many sessions. */
const maxPositions = 512
const maxSessions = 2000

export const createPositions = (): Positions => {
  /** The session that was used last is the last one. */
  const sessions = new Map<string, Position[]>()

  const of = (sessionId: string): Position[] => {
    const known = sessions.get(sessionId) ?? []
    sessions.delete(sessionId)
    sessions.set(sessionId, known)
    const [oldest] = sessions.keys()
    if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest)
    return known
  }
  /** How many positions begin at or before an event. */
  const countBefore = (known: readonly Position[], seq: number): number => {
    let low = 0
    let high = known.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((known[middle]?.first ?? 0) <= seq) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    before(sessionId, seq) {
      const known = sessions.get(sessionId)
      return known?.[countBefore(known, seq) - 1]
    },
    add(sessionId, { first, count, streamSeq }) {
      const known = of(sessionId)
      const at = countBefore(known, first)
      if (known[at - 1]?.first === first) return
      known.splice(at, 0, { first, count, streamSeq })
      // Every second one still leads near any event.
      if (known.length > maxPositions)
        sessions.set(
          sessionId,
          known.filter((_, index) => index % 2 === 0),
        )
    },
    forget: (sessionId) => void sessions.delete(sessionId),
  }
}
