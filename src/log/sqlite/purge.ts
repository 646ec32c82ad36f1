import { LogFault } from '../log-fault.ts'
import { deleteUnownedSql } from './blobs.ts'
import type { SqliteContext } from './context.ts'
import { numberColumn, prepareStatement, readOr, textColumn } from './database.ts'

/** Deletes everything that belongs to a session. */
export interface Purge {
  /**
   * Deletes the session and everything but its events and blobs. Call it inside a write: from that
   * write on the session does not exist, and the rest waits for `deleteRest`.
   */
  begin(session: number): void
  /** Deletes events and blobs in small steps: one long DELETE would block the event loop for seconds. */
  deleteRest(session: number): Promise<void>
  /** Sessions of which a rest is still there, because the process died before it was deleted. */
  unfinished(): number[]
}

const rowsPerStep = 256
/** A step ends after the row that exceeds this. */
const bytesPerStep = 1024 * 1024
/** About how much a step writes for each row that it deletes, beside what the row holds. */
const bytesPerRow = 256

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
    'DELETE FROM blob_puts WHERE session = ?',
    'DELETE FROM damage WHERE session = ?',
    'DELETE FROM spending_unfilled WHERE session = ?',
  ].map((sql) => prepareStatement(database, sql))
  const selectEvents = prepareStatement(
    database,
    `SELECT seq, octet_length(text) FROM events WHERE session = ?
    ORDER BY seq LIMIT ${rowsPerStep}`,
  )
  const deleteEvents = prepareStatement(
    database,
    'DELETE FROM events WHERE session = ? AND seq <= ?',
  )
  const selectBlobs = prepareStatement(
    database,
    `SELECT hash, octet_length(bytes) FROM blob_owners LEFT JOIN blobs USING (hash)
    WHERE session = ? LIMIT ${rowsPerStep}`,
  )
  const deleteOwner = prepareStatement(
    database,
    'DELETE FROM blob_owners WHERE session = ? AND hash = ?',
  )
  const deleteUnownedBlob = prepareStatement(database, deleteUnownedSql)

  /** Returns whether there is more to delete. */
  const step = (session: number): boolean => {
    const events = firstRows(selectEvents.all(session))
    const lastEvent = events.at(-1)
    if (lastEvent !== undefined) {
      deleteEvents.run(session, numberColumn(lastEvent))
      return true
    }
    const blobs = firstRows(selectBlobs.all(session))
    for (const row of blobs) {
      deleteOwner.run(session, textColumn(row))
      deleteUnownedBlob.run(textColumn(row))
    }
    if (blobs.length > 0) return true
    deletePurge.run(session)
    return false
  }

  return {
    begin(session) {
      insertPurge.run(session)
      for (const statement of deletes)
        readOr(
          () => statement.run(session),
          () => {}, // what is left in a damaged part of the file belongs to nobody
        )
    },
    async deleteRest(session) {
      try {
        while (await writes.add(() => step(session), rowsPerStep * bytesPerRow));
      } catch (cause) {
        // The session is deleted all the same. The rest goes when the log is opened again.
        if (!(cause instanceof LogFault)) throw cause
      }
    },
    unfinished: () => selectPurges.all().map((row) => numberColumn(row)),
  }
}

/** As many rows as one step may delete. The second column of a row is its size in bytes. */
const firstRows = (rows: readonly unknown[]): readonly unknown[] => {
  let bytes = 0
  const end = rows.findIndex((row) => {
    const size = Array.isArray(row) ? row[1] : 0
    bytes += typeof size === 'number' ? size : 0
    return bytes > bytesPerStep
  })
  return end === -1 ? rows : rows.slice(0, end + 1)
}
