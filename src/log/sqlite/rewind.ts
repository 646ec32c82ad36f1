import type { StampedEvent } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import { stepOf } from '../spending-update.ts'
import type { ApprovalRecord, LoopRecord, SessionRecord } from '../types.ts'
import {
  type Database,
  numberColumn,
  prepareStatement,
  type Statement,
  textColumn,
  type Value,
} from './database.ts'
import { openDatabase } from './open-database.ts'
import { intactRecord, withChecksum } from './stored-text.ts'

/** What a rewind has left out. */
export interface Rewound {
  sessions: number
  events: number
}

/**
 * Takes the sessions of a database back to a moment: events after it are deleted, and so are sessions that
 * did not exist yet. Sessions that were deleted later are there again, if the database still has them.
 * Everything else, such as keys and the audit, stays.
 */
export const rewindSqlite = (file: string, at: number): Rewound => {
  const database = openDatabase(file)
  try {
    database.exec('BEGIN IMMEDIATE')
    const sessions = deleteLaterSessions(database, at)
    const cut = cutSessions(database, at)
    resetApprovals(database, at)
    pauseLoops(database, at)
    run(database, 'DELETE FROM commands WHERE created_at > ?', at)
    // Of deleted sessions there are only sums.
    run(
      database,
      'DELETE FROM spending WHERE step > ? AND session NOT IN (SELECT number FROM sessions)',
      stepOf(at),
    )
    database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
    return { sessions: sessions.count, events: sessions.events + cut }
  } finally {
    database.close()
  }
}

const run = (database: Database, sql: string, ...values: Value[]): unknown =>
  prepareStatement(database, sql).run(...values)

/** Tables with rows of sessions, by number. */
const sessionTables = [
  ...['approvals', 'commands', 'ledger', 'snapshots', 'blob_puts', 'damage'],
  ...['spending', 'spending_sessions', 'spending_unfilled', 'events'],
]

const deleteLaterSessions = (database: Database, at: number): { count: number; events: number } => {
  const later = prepareStatement(database, 'SELECT number FROM sessions WHERE created_at > ?')
    .all(at)
    .map((row) => numberColumn(row))
  const countEvents = prepareStatement(database, 'SELECT count(*) FROM events WHERE session = ?')
  const deletes = sessionTables.map((table) =>
    prepareStatement(database, `DELETE FROM ${table} WHERE session = ?`),
  )
  const deleteSession = prepareStatement(database, 'DELETE FROM sessions WHERE number = ?')
  let events = 0
  for (const number of later) {
    events += numberColumn(countEvents.get(number))
    for (const statement of deletes) statement.run(number)
    deleteSession.run(number)
  }
  run(
    database,
    `DELETE FROM blob_owners WHERE session NOT IN (SELECT number FROM sessions)
      AND session NOT IN (SELECT session FROM purges)`,
  )
  run(database, 'DELETE FROM blobs WHERE hash NOT IN (SELECT hash FROM blob_owners)')
  return { count: later.length, events }
}

/** Ends each session with its last event at or before the moment. Returns how many events are deleted. */
const cutSessions = (database: Database, at: number): number => {
  const fromEnd = prepareStatement(
    database,
    'SELECT text, checksum, seq FROM events WHERE session = ? ORDER BY seq DESC',
  )
  const deleteEvents = prepareStatement(
    database,
    'DELETE FROM events WHERE session = ? AND seq > ?',
  )
  // What depends on the events is made again from those that are left.
  const dependent = [
    'DELETE FROM ledger WHERE session = ?',
    'DELETE FROM snapshots WHERE session = ?',
    'INSERT OR IGNORE INTO spending_unfilled VALUES (?)',
    'INSERT OR IGNORE INTO blob_puts SELECT session, hash, 0 FROM blob_owners WHERE session = ?',
  ].map((sql) => prepareStatement(database, sql))
  const sessions = prepareStatement(
    database,
    'SELECT record, checksum, number FROM sessions ORDER BY number',
  )
  const update = prepareStatement(
    database,
    'UPDATE sessions SET state = ?, removed_at = ?, record = ?, checksum = ? WHERE number = ?',
  )
  let deleted = 0
  for (const row of sessions.all()) {
    const number = numberColumn(row, 2)
    const { head, later } = headAt(fromEnd, number, at)
    if (later > 0) {
      deleteEvents.run(number, head)
      for (const statement of dependent) statement.run(number)
    }
    deleted += later
    const record = intactRecord<SessionRecord>(row)
    const earlier = record && recordAt(record, at, later > 0)
    if (earlier)
      update.run(
        ...[earlier.state, earlier.removedAt ?? null],
        ...withChecksum(JSON.stringify(earlier)),
        number,
      )
  }
  return deleted
}

/** The last event at or before a moment, and how many are after it. */
const headAt = (
  fromEnd: Statement,
  session: number,
  at: number,
): { head: number; later: number } => {
  let later = 0
  for (const row of fromEnd.iterate(session)) {
    const time = intactRecord<StampedEvent>(row)?.timestamp
    if (time !== undefined && time <= at) return { head: numberColumn(row, 2), later }
    later += 1
  }
  return { head: 0, later }
}

/** The record of a session as it may have been. Its name and settings are those of the backup. */
const recordAt = (record: SessionRecord, at: number, isCut: boolean): SessionRecord => {
  const { removedAt, lastActivity, pid, pidStartedAt, ...rest } = record
  return {
    ...rest,
    ...(isCut ? { state: 'idle' } : defined({ pid, pidStartedAt })),
    updatedAt: Math.min(record.updatedAt, at),
    ...defined({
      lastActivity: lastActivity === undefined ? undefined : Math.min(lastActivity, at),
      removedAt: removedAt !== undefined && removedAt > at ? undefined : removedAt,
    }),
  }
}

/** Deletes later requests. A request that was answered later is open again: the next start resolves it. */
const resetApprovals = (database: Database, at: number): void => {
  run(database, 'DELETE FROM approvals WHERE created_at > ?', at)
  const update = prepareStatement(
    database,
    'UPDATE approvals SET status = ?, record = ?, checksum = ? WHERE id = ?',
  )
  for (const row of prepareStatement(
    database,
    'SELECT record, checksum, id FROM approvals',
  ).all()) {
    const record = intactRecord<ApprovalRecord>(row)
    if (record?.resolvedAt === undefined || record.resolvedAt <= at) continue
    const { action, by, message, updatedInput, answers, resolvedAt, ...request } = record
    const open: ApprovalRecord = { ...request, status: 'pending' }
    update.run('pending', ...withChecksum(JSON.stringify(open)), textColumn(row, 2))
  }
}

/** Deletes later loops, and pauses the others: their last iterations may be gone. */
const pauseLoops = (database: Database, at: number): void => {
  const remove = prepareStatement(database, 'DELETE FROM loops WHERE id = ?')
  const update = prepareStatement(
    database,
    'UPDATE loops SET record = ?, checksum = ? WHERE id = ?',
  )
  for (const row of prepareStatement(database, 'SELECT record, checksum, id FROM loops').all()) {
    const record = intactRecord<LoopRecord>(row)
    if (!record) continue
    if (record.createdAt > at) remove.run(record.id)
    else if (record.state !== 'done')
      update.run(...withChecksum(JSON.stringify(paused(record))), record.id)
  }
}

const paused = ({ waitsFor, nextAt, ...loop }: LoopRecord): LoopRecord => ({
  ...loop,
  state: 'paused',
  pauseReason: 'The log was restored to an earlier moment.',
})
