import { unknownSession } from '../log-fault.ts'
import { columnOf, type Database, numberColumn, prepareStatement, readOr } from './database.ts'

/** What the log must know of a session to append to it. */
export interface CachedSessionRow {
  /** The session’s id. */
  readonly id: string
  /** The session’s number in the database. */
  readonly number: number
  /** The seq of the last event that is written. */
  head: number
  /** The seq of the last event that is durable. Readers see no event after it. */
  durable: number
}

/** Session rows, read once and then cached. */
export interface SessionRows {
  /** Throws `unknown_session` when the session does not exist. */
  get(sessionId: string): CachedSessionRow
  find(sessionId: string): CachedSessionRow | undefined
  forget(sessionId: string): void
  /** Empties the cache. After a rollback, cached heads no longer match the database. */
  clear(): void
}

export const createSessionRows = (database: Pick<Database, 'prepare'>): SessionRows => {
  const select = prepareStatement(
    database,
    `SELECT number, (SELECT max(seq) FROM events WHERE session = number)
    FROM sessions WHERE id = ?`,
  )
  // Without the indices, for a file in which one of them is damaged.
  const selectUnindexed = prepareStatement(
    database,
    `SELECT number, (SELECT max(seq) FROM events NOT INDEXED WHERE session = number)
    FROM sessions NOT INDEXED WHERE id = ?`,
  )
  const selectNumber = prepareStatement(
    database,
    'SELECT number, 1 FROM sessions NOT INDEXED WHERE id = ?',
  )
  const cache = new Map<string, CachedSessionRow>()

  /** When no index and no table says how many events there are, the first one is tried. */
  const read = (sessionId: string): unknown =>
    readOr(
      () => select.get(sessionId),
      () =>
        readOr(
          () => selectUnindexed.get(sessionId),
          () => selectNumber.get(sessionId),
        ),
    )

  const find = (sessionId: string): CachedSessionRow | undefined => {
    const cached = cache.get(sessionId)
    if (cached) return cached
    const row = read(sessionId)
    if (row === undefined) return undefined
    const last = columnOf(row, 1)
    const head = typeof last === 'number' ? last : 0
    const session = { id: sessionId, number: numberColumn(row), head, durable: head }
    cache.set(sessionId, session)
    return session
  }

  return {
    find,
    get(sessionId) {
      const session = find(sessionId)
      if (!session) throw unknownSession(sessionId)
      return session
    },
    forget: (sessionId) => void cache.delete(sessionId),
    clear: () => cache.clear(),
  }
}
