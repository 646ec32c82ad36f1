import { unknownSession } from '../log-fault.ts'
import { type Database, numberIn, prepare, valueIn } from './database.ts'

/** Where a session stands. */
export interface SessionRow {
  /** Its number in the database. */
  readonly session: number
  /** The seq of its last event that is written. */
  head: number
  /** The seq of its last event that is durable: nobody is told more. */
  durable: number
}

/** Where sessions stand, looked up once and then known. True outside of a transaction. */
export interface SessionRows {
  of(sessionId: string): SessionRow
  /** The same, where the session may not exist. */
  find(sessionId: string): SessionRow | undefined
  forget(sessionId: string): void
  /** After a rollback nothing is known any more. */
  forgetAll(): void
}

export const createSessionRows = (database: Database): SessionRows => {
  const select = prepare(
    database,
    `SELECT number, (SELECT max(seq) FROM events WHERE session = number)
    FROM sessions WHERE id = ?`,
  )
  const known = new Map<string, SessionRow>()

  const find = (sessionId: string): SessionRow | undefined => {
    const place = known.get(sessionId)
    if (place) return place
    const row = select.get(sessionId)
    if (row === undefined) return undefined
    const head = valueIn(row, 1) === null ? 0 : numberIn(row, 1)
    const found = { session: numberIn(row), head, durable: head }
    known.set(sessionId, found)
    return found
  }

  return {
    find,
    of(sessionId) {
      const place = find(sessionId)
      if (!place) throw unknownSession(sessionId)
      return place
    },
    forget: (sessionId) => void known.delete(sessionId),
    forgetAll: () => known.clear(),
  }
}
