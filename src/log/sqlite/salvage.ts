import { DatabaseSync } from 'node:sqlite'
import {
  columnOf,
  type Database,
  isCorrupt,
  numberColumn,
  prepareStatement,
  readableRows,
  readOr,
  type Statement,
  textColumn,
  type Value,
} from './database.ts'
import { openDatabase } from './open-database.ts'
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
    let rows = 0
    for (const table of tablesOf(to)) rows += copyTable(from, to, table)
    const sessions = restoreSessions(to)
    to.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
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

const copyTable = (from: Database, to: Database, table: string): number => {
  const known = new Set(columnsOf(from, table))
  const columns = columnsOf(to, table).filter((column) => known.has(column))
  if (columns.length === 0) return 0
  const insert = prepareStatement(
    to,
    `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  let rows = 0
  const copy = (row: unknown): void => {
    if (!Array.isArray(row)) return
    try {
      insert.run(...row.slice(0, columns.length).map(bindable))
      rows += 1
    } catch {
      // A value of a wrong type: the row is damaged.
    }
  }
  const list = columns.join(', ')
  const hasRowid = table !== 'blob_owners' && table !== 'blob_puts'
  if (hasRowid) copyByRowid(from, table, list, copy)
  else copyBothWays(from, table, list, copy)
  return rows
}

const bindable = (value: unknown): Value =>
  typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array
    ? value
    : null

/** Reads ranges of rows, and halves those that cannot be read as a whole. */
const copyByRowid = (
  from: Database,
  table: string,
  list: string,
  copy: (row: unknown) => void,
): void => {
  const select = prepareStatement(
    from,
    `SELECT ${list}, rowid FROM ${table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid`,
  )
  const ranges: [first: number, last: number][] = [[1, lastRowid(from, table)]]
  for (let range = ranges.pop(); range; range = ranges.pop()) {
    const [first, last] = range
    if (first > last) continue
    const reached = copyRange(select, first, last, copy)
    if (reached >= last || first === last) continue
    const next = reached + 1
    // One row at least is left out in each step, so this ends.
    const middle = next + Math.floor((last - next) / 2)
    if (next === first && middle === last) continue
    ranges.push([middle + 1, last], [next, middle])
  }
}

/** Copies rows until one cannot be read. Returns the last row number that is done. */
const copyRange = (
  select: Statement,
  first: number,
  last: number,
  copy: (row: unknown) => void,
): number => {
  let reached = first - 1
  try {
    for (const row of select.iterate(first, last)) {
      copy(row)
      reached = Number(Array.isArray(row) ? row.at(-1) : last)
    }
    return last
  } catch (cause) {
    if (!isCorrupt(cause)) throw cause
    return reached
  }
}

/** The highest row number; where it cannot be read, one that no file of this size can exceed. */
const lastRowid = (from: Database, table: string): number =>
  readOr(
    () => Number(columnOf(prepareStatement(from, `SELECT max(rowid) FROM ${table}`).get(), 0) ?? 0),
    () => numberColumn(prepareStatement(from, 'PRAGMA page_count').get()) * 500,
  )

/** For tables without row numbers: from both ends up to the damage. */
const copyBothWays = (
  from: Database,
  table: string,
  list: string,
  copy: (row: unknown) => void,
): void => {
  for (const order of ['ASC', 'DESC']) {
    const select = prepareStatement(from, `SELECT ${list} FROM ${table} ORDER BY 1 ${order}`)
    const { rows, isComplete } = readableRows(select)
    for (const row of rows) copy(row)
    if (isComplete) return
  }
}

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
