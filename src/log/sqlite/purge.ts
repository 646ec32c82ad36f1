import { LogFault } from '../log-fault.ts'
import type { SqliteContext } from './context.ts'
import { numberIn, prepare } from './database.ts'

/** Takes away what belongs to a session. */
export interface Purge {
  /** Part of a write: from now on the session does not exist. Its events are still to be taken. */
  mark(session: number): void
  /** Takes the events, a few at a time: a long session would stop the event loop for seconds. */
  run(session: number): Promise<void>
  /** What a process that died has left to do. */
  left(): number[]
}

const rowsAtOnce = 256

export const createPurge = ({ database, writes }: SqliteContext): Purge => {
  const remember = prepare(database, 'INSERT INTO purges (session) VALUES (?)')
  const statements = [
    'DELETE FROM sessions WHERE number = ?',
    'DELETE FROM approvals WHERE session = ?',
    'DELETE FROM ledger WHERE session = ?',
    'DELETE FROM snapshots WHERE session = ?',
    `DELETE FROM blobs WHERE hash IN (SELECT hash FROM blob_owners WHERE session = ?1)
      AND NOT EXISTS (
        SELECT 1 FROM blob_owners WHERE blob_owners.hash = blobs.hash AND session <> ?1
      )`,
    'DELETE FROM blob_owners WHERE session = ?',
  ].map((sql) => prepare(database, sql))
  const takeSome = prepare(
    database,
    `DELETE FROM events WHERE rowid IN (
      SELECT rowid FROM events WHERE session = ? LIMIT ${rowsAtOnce}
    )`,
  )
  const any = prepare(database, 'SELECT 1 FROM events WHERE session = ? LIMIT 1')
  const done = prepare(database, 'DELETE FROM purges WHERE session = ?')
  const unfinished = prepare(database, 'SELECT session FROM purges')

  /** True while there is more. */
  const step = (session: number): boolean => {
    takeSome.run(session)
    if (any.get(session) !== undefined) return true
    done.run(session)
    return false
  }

  return {
    mark(session) {
      remember.run(session)
      for (const statement of statements) statement.run(session)
    },
    async run(session) {
      try {
        while (await writes.add(() => step(session), rowsAtOnce * 256));
      } catch (cause) {
        // The session is gone all the same; its last rows go when the log is opened again.
        if (!(cause instanceof LogFault)) throw cause
      }
    },
    left: () => unfinished.all().map((row) => numberIn(row)),
  }
}
