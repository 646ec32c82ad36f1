import { DatabaseSync } from 'node:sqlite'
import {
  type Database,
  numberColumn,
  prepareStatement,
  readableRows,
  textColumn,
  type Value,
} from './database.ts'
import { countRows } from './database-copy.ts'
import { openDatabase } from './open-database.ts'
import { salvageEvents } from './salvage-events.ts'
import { copyBothWays, copyByRowid, hasRowid } from './salvage-rows.ts'
import { intactRecord, withChecksum } from './stored-text.ts'

/** What a salvage could read. */
export interface Salvaged {
  rows: number
  /** Sessions whose record was lost, and that were made again from their events. */
  sessions: number
}

/**
 * Copies all rows that can be read from a database into a new one: row by row, around the parts of the
 * file that are damaged. The source is not changed.
 */
export const salvage = (source: string, target: string): Salvaged => {
  const from = new DatabaseSync(source, { readOnly: true })
  const to = openDatabase(target)
  try {
    to.exec('BEGIN')
    for (const table of tablesOf(to)) {
      const known = new Set(columnsOf(from, table))
      if (table === 'events') salvageEvents(from, to, known.has('checksum'))
      else copyTable(from, to, table, known)
    }
    const sessions = restoreSessions(to)
    to.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
    const rows = [...countRows(to).values()].reduce((sum, count) => sum + count, 0)
    return { rows, sessions }
  } finally {
    from.close()
    to.close()
  }
}

const tablesOf = (database: Database): string[] =>
  prepareStatement(
    database,
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
  )
    .all()
    .map((row) => textColumn(row))

const columnsOf = (database: Database, table: string): string[] =>
  readableRows(prepareStatement(database, `PRAGMA table_info(${table})`)).rows.map((row) =>
    textColumn(row, 1),
  )

const copyTable = (
  from: Database,
  to: Database,
  table: string,
  known: ReadonlySet<string>,
): void => {
  const columns = columnsOf(to, table).filter((column) => known.has(column))
  if (columns.length === 0) return
  const insert = prepareStatement(
    to,
    `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  const copy = (row: unknown): void => {
    if (!Array.isArray(row)) return
    try {
      insert.run(...row.slice(0, columns.length).map(bindable))
    } catch {
      // A value of a wrong type: the row is damaged.
    }
  }
  const list = columns.join(', ')
  // A row that was copied before is ignored.
  copyBothWays(from, table, list, copy)
  if (hasRowid(table)) copyByRowid(from, table, list, copy)
}

const bindable = (value: unknown): Value =>
  typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array
    ? value
    : null

/** Makes records for sessions that have events and no record any more. Returns how many. */
const restoreSessions = (database: Database): number => {
  const orphans = prepareStatement(
    database,
    `SELECT DISTINCT session FROM events WHERE session NOT IN (SELECT number FROM sessions)
      AND session NOT IN (SELECT session FROM purges)`,
  )
  const firstEvents = prepareStatement(
    database,
    'SELECT text, checksum FROM events WHERE session = ? ORDER BY seq LIMIT 20',
  )
  const insert = prepareStatement(
    database,
    `INSERT OR IGNORE INTO sessions (number, id, agent, state, created_at, record, checksum)
    VALUES (?, ?, ?, 'idle', ?, ?, ?)`,
  )
  const mark = prepareStatement(
    database,
    'INSERT OR REPLACE INTO damage (session, reason) VALUES (?, ?)',
  )
  let restored = 0
  for (const row of orphans.all()) {
    const number = numberColumn(row)
    const [event] = firstEvents.all(number).flatMap((each) => intactRecord<FirstEvent>(each) ?? [])
    if (typeof event?.sessionId !== 'string') continue
    const createdAt = event.timestamp ?? 0
    const agent = event.agent ?? 'unknown'
    const times = { createdAt, updatedAt: createdAt }
    const record = { id: event.sessionId, agent, cwd: event.cwd ?? '', state: 'idle', ...times }
    insert.run(number, event.sessionId, agent, createdAt, ...withChecksum(JSON.stringify(record)))
    mark.run(number, 'Its record was lost and was made again from its events.')
    restored += 1
  }
  return restored
}

/** What is read of the first event that can be read. */
interface FirstEvent {
  sessionId?: string
  timestamp?: number
  /** Of a `session_start`. */
  agent?: string
  cwd?: string
}
