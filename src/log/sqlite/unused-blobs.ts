import { setImmediate } from 'node:timers/promises'
import { deleteUnownedSql } from './blobs.ts'
import type { SqliteContext } from './context.ts'
import { columnOf, type Database, numberColumn, prepareStatement, textColumn } from './database.ts'

/**
 * Deletes blobs that no event refers to. A blob is stored before its event, so a crash or a failed
 * write between the two leaves one behind. When the log is opened, the blobs that the last process
 * stored are looked at once; this process may still be about to store the events of its own.
 */
export interface UnusedBlobs {
  /** Notes that a blob is put. Call it inside the write, before the session owns the blob. */
  onPut(session: PutSession, hash: string): void
  /** Deletes what the last process left behind, in small steps. Rejects when the log cannot be used. */
  collect(): Promise<void>
}

export interface PutSession {
  readonly number: number
  readonly head: number
}

interface StoredPut {
  session: number
  hash: string
  /** The last event of the session when the blob was put. */
  after: number
}

/** How many events are searched at once. */
const eventsPerStep = 32

export const createUnusedBlobs = (context: SqliteContext): UnusedBlobs => {
  const { database, writes, ensureOpen } = context
  const insertPut = prepareStatement(
    database,
    `INSERT OR IGNORE INTO blob_puts (session, hash, after) SELECT ?1, ?2, ?3
    WHERE NOT EXISTS (SELECT 1 FROM blob_owners WHERE session = ?1 AND hash = ?2)`,
  )
  const deletePut = prepareStatement(
    database,
    'DELETE FROM blob_puts WHERE session = ? AND hash = ?',
  )
  const deleteOwner = prepareStatement(
    database,
    'DELETE FROM blob_owners WHERE session = ? AND hash = ?',
  )
  const deleteUnowned = prepareStatement(database, deleteUnownedSql)
  const searchEvents = prepareStatement(
    database,
    `SELECT max(seq), max(instr(text, ?3) > 0) FROM (
      SELECT seq, text FROM events WHERE session = ?1 AND seq > ?2
      ORDER BY seq LIMIT ${eventsPerStep}
    )`,
  )
  const left = new Map(
    storedPuts(database).map((put) => [keyOf(put.session, put.hash), put] as const),
  )

  /** Whether an event refers to a blob. Looks no further when the blob is put again meanwhile. */
  const isUsed = async ({ session, hash, after }: StoredPut): Promise<boolean> => {
    let last: number | undefined = after
    while (last !== undefined && left.has(keyOf(session, hash))) {
      ensureOpen()
      const row = searchEvents.get(session, last, hash)
      if (columnOf(row, 1) === 1) return true
      last = columnOf(row, 0) === null ? undefined : numberColumn(row)
      await setImmediate()
    }
    return false
  }

  const settle = (put: StoredPut, used: boolean): void => {
    // It was put again: its event is still to come.
    if (!left.has(keyOf(put.session, put.hash))) return
    deletePut.run(put.session, put.hash)
    if (used) return
    deleteOwner.run(put.session, put.hash)
    deleteUnowned.run(put.hash)
  }

  return {
    onPut(session, hash) {
      left.delete(keyOf(session.number, hash))
      insertPut.run(session.number, hash, session.head)
    },
    async collect() {
      for (const put of [...left.values()]) {
        const used = await isUsed(put)
        await writes.add(() => settle(put, used))
        left.delete(keyOf(put.session, put.hash))
      }
    },
  }
}

/** The puts whose events were not looked for yet. None when the table is damaged. */
const storedPuts = (database: Database): StoredPut[] => {
  try {
    return prepareStatement(database, 'SELECT session, hash, after FROM blob_puts')
      .all()
      .map((row) => ({
        session: numberColumn(row),
        hash: textColumn(row, 1),
        after: numberColumn(row, 2),
      }))
  } catch {
    return []
  }
}

const keyOf = (session: number, hash: string): string => `${session} ${hash}`
