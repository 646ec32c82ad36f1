import { LogFault } from '../log-fault.ts'
import type { SqliteContext } from './context.ts'
import { numberColumn, prepareStatement } from './database.ts'

/** Deletes everything that belongs to a session. */
export interface Purge {
  /**
   * Deletes the session and everything but its events. Call it inside a write: from that write on
   * the session does not exist, and its events wait for `deleteEvents`.
   */
  begin(session: number): void
  /** Deletes the events in small steps: one long DELETE would block the event loop for seconds. */
  deleteEvents(session: number): Promise<void>
  /** Sessions whose events are still there, because the process died before it deleted them. */
  unfinished(): number[]
}

const eventsPerStep = 256
/** About how much a step writes for each event that it deletes. */
const bytesPerEvent = 256

export const createPurge = ({ database, writes }: SqliteContext): Purge => {
  const insertPurge = prepareStatement(database, 'INSERT INTO purges (session) VALUES (?)')
  const deletePurge = prepareStatement(database, 'DELETE FROM purges WHERE session = ?')
  const selectPurges = prepareStatement(database, 'SELECT session FROM purges')
  const deletes = [
    'DELETE FROM sessions WHERE number = ?',
    'DELETE FROM approvals WHERE session = ?',
    'DELETE FROM commands WHERE session = ?',
    'DELETE FROM ledger WHERE session = ?',
    'DELETE FROM snapshots WHERE session = ?',
    `DELETE FROM blobs WHERE hash IN (SELECT hash FROM blob_owners WHERE session = ?1)
      AND NOT EXISTS (
        SELECT 1 FROM blob_owners WHERE blob_owners.hash = blobs.hash AND session <> ?1
      )`,
    'DELETE FROM blob_owners WHERE session = ?',
  ].map((sql) => prepareStatement(database, sql))
  const deleteSomeEvents = prepareStatement(
    database,
    `DELETE FROM events WHERE rowid IN (
      SELECT rowid FROM events WHERE session = ? LIMIT ${eventsPerStep}
    )`,
  )
  const selectEvent = prepareStatement(database, 'SELECT 1 FROM events WHERE session = ? LIMIT 1')

  /** Returns whether there are more events to delete. */
  const step = (session: number): boolean => {
    deleteSomeEvents.run(session)
    if (selectEvent.get(session) !== undefined) return true
    deletePurge.run(session)
    return false
  }

  return {
    begin(session) {
      insertPurge.run(session)
      for (const statement of deletes) statement.run(session)
    },
    async deleteEvents(session) {
      try {
        while (await writes.add(() => step(session), eventsPerStep * bytesPerEvent));
      } catch (cause) {
        // The session is deleted all the same. Its last events go when the log is opened again.
        if (!(cause instanceof LogFault)) throw cause
      }
    },
    unfinished: () => selectPurges.all().map((row) => numberColumn(row)),
  }
}
