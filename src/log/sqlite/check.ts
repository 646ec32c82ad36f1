import { DatabaseSync } from 'node:sqlite'
import { reasonOf } from '../../shared/reason.ts'
import { blobRefOf } from '../blobs/blob-ref.ts'
import { LogFault } from '../log-fault.ts'
import { type RecordKind, recordProblem } from '../records.ts'
import {
  columnOf,
  type Database,
  isCorrupt,
  prepareStatement,
  readableRows,
  type Statement,
  type Value,
} from './database.ts'
import { schemaVersion } from './migrations.ts'
import { databaseFile, unusableDirectory } from './open-database.ts'
import { schemaProblem } from './schema-of.ts'
import { intactRecord, intactText } from './stored-text.ts'
import { findWrongSums, spendingVersion } from './wrong-sums.ts'

/** Something in a database that is not as it was stored. */
export interface CheckFinding {
  /** The table, or `file` for the file as a whole. */
  where: string
  /** The id of the record; of the session for events. */
  id?: string
  /** The first damaged event of a session. */
  seq?: number
  /** What is wrong, for people. */
  problem: string
}

/** What was read, and what is damaged. */
export interface CheckReport {
  file: string
  sessions: number
  events: number
  records: number
  blobs: number
  findings: CheckFinding[]
}

/** Since this version, rows have checksums. */
const checksumVersion = 6

/**
 * Reads everything in the database of a data directory and compares it with its checksums, schemas and
 * references. It changes nothing, and another process may have the database open. Throws `damaged`
 * when the file cannot be opened at all.
 */
export const checkSqlite = (directory: string): CheckReport => {
  const file = databaseFile(directory)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    const version = schemaVersion(database)
    const report: CheckReport = { file, sessions: 0, events: 0, records: 0, blobs: 0, findings: [] }
    const check: Check = { database, report, version }
    const problem = schemaProblem(database, version)
    if (problem !== undefined) add(check, { where: 'file', problem })
    if (problem !== undefined || version === 0) return report
    checkFile(check)
    checkSessions(check)
    checkOrphans(check)
    for (const table of recordTables) if (table.since <= version) checkRecords(check, table)
    checkBlobs(check)
    checkSpending(check)
    return report
  } catch (cause) {
    throw cause instanceof LogFault ? cause : unusableDirectory(directory, cause)
  } finally {
    database?.close()
  }
}

interface Check {
  database: Pick<Database, 'prepare'>
  report: CheckReport
  version: number
}

const checksumOfVersion = ({ version }: Check): string =>
  version >= checksumVersion ? 'checksum' : 'NULL'

const add = ({ report }: Check, finding: CheckFinding): void => void report.findings.push(finding)

/** Reads rows one by one; a part of the file that cannot be read is a finding. */
const eachRow = (
  check: Check,
  where: string,
  statement: Statement,
  values: readonly Value[],
  use: (row: unknown) => void,
): boolean => {
  try {
    for (const row of statement.iterate(...values)) use(row)
    return true
  } catch (cause) {
    if (!isCorrupt(cause)) throw cause
    add(check, { where, problem: `A part of the file cannot be read: ${reasonOf(cause)}.` })
    return false
  }
}

/** SQLite’s own check: pages, indices, types. */
const checkFile = (check: Check): void => {
  const statement = prepareStatement(check.database, 'PRAGMA integrity_check(20)')
  eachRow(check, 'file', statement, [], (row) => {
    const line = String(columnOf(row, 0))
    if (line !== 'ok') add(check, { where: 'file', problem: line })
  })
}

const checkSessions = (check: Check): void => {
  const { database, report } = check
  const select = prepareStatement(
    database,
    `SELECT record, ${checksumOfVersion(check)}, id, number FROM sessions ORDER BY number`,
  )
  const sessions: { id: string; number: number }[] = []
  eachRow(check, 'sessions', select, [], (row) => {
    report.sessions += 1
    const id = String(columnOf(row, 2))
    const problem = problemIn(row, 'session', (record) => record.id === id)
    if (problem !== undefined) add(check, { where: 'sessions', id, problem })
    sessions.push({ id, number: Number(columnOf(row, 3)) })
  })
  const events = prepareStatement(
    database,
    `SELECT text, ${checksumOfVersion(check)}, seq FROM events WHERE session = ? ORDER BY seq`,
  )
  for (const { id, number } of sessions) checkEvents(check, events, id, number)
}

/** One finding for each session: nothing behind the first damaged event is read. */
const checkEvents = (check: Check, select: Statement, id: string, number: number): void => {
  let expected = 1
  let seq: number | undefined
  eachRow(check, 'events', select, [number], (row) => {
    check.report.events += 1
    if (!isEvent(row, id, expected)) seq ??= expected
    expected += 1
  })
  if (seq === undefined) return
  add(check, { where: 'events', id, seq, problem: `Event ${seq} is missing or damaged.` })
}

const isEvent = (row: unknown, sessionId: string, seq: number): boolean => {
  const event = intactRecord<{ seq: unknown; sessionId: unknown; type: unknown }>(row)
  return (
    columnOf(row, 2) === seq &&
    event?.seq === seq &&
    event.sessionId === sessionId &&
    typeof event.type === 'string'
  )
}

/** Events and owners of sessions that do not exist. */
const checkOrphans = (check: Check): void => {
  for (const table of ['events', 'approvals', 'ledger', 'blob_owners']) {
    const select = prepareStatement(
      check.database,
      `SELECT session, count(*) FROM ${table}
      WHERE session NOT IN (SELECT number FROM sessions)
        AND session NOT IN (SELECT session FROM purges) GROUP BY session`,
    )
    eachRow(check, table, select, [], (row) =>
      add(check, {
        where: table,
        problem: `${columnOf(row, 1)} rows belong to session number ${columnOf(row, 0)}, which is missing.`,
      }),
    )
  }
}

interface RecordTable {
  table: string
  kind: RecordKind
  /** The schema version that added the table. */
  since: number
  /** The column of the text, and of the id. */
  text?: string
  id: string
  where?: string
}

const recordTables: readonly RecordTable[] = [
  { table: 'approvals', kind: 'approval', since: 1, id: 'id' },
  { table: 'ledger', kind: 'ledgerRow', since: 1, text: 'row', id: 'key', where: `key <> ''` },
  {
    table: 'ledger',
    kind: 'ledgerCheckpoint',
    since: 1,
    text: 'row',
    id: 'session',
    where: `key = ''`,
  },
  { table: 'projects', kind: 'project', since: 2, id: 'id' },
  { table: 'keys', kind: 'key', since: 2, id: 'id' },
  { table: 'browsers', kind: 'browser', since: 3, id: 'id' },
  { table: 'passkeys', kind: 'passkey', since: 3, id: 'id' },
  { table: 'settings', kind: 'setting', since: 3, id: 'id' },
  { table: 'trust', kind: 'trust', since: 4, id: 'id' },
  { table: 'audit', kind: 'audit', since: 5, id: 'number' },
  { table: 'budgets', kind: 'budget', since: 12, id: 'id' },
  { table: 'commands', kind: 'command', since: 7, id: 'id', where: 'record IS NOT NULL' },
  { table: 'loops', kind: 'loop', since: 11, id: 'id' },
]

const checkRecords = (
  check: Check,
  { table, kind, text = 'record', id, where = 'true' }: RecordTable,
): void => {
  const select = prepareStatement(
    check.database,
    `SELECT ${text}, ${checksumOfVersion(check)}, ${id} FROM ${table} WHERE ${where}`,
  )
  eachRow(check, table, select, [], (row) => {
    check.report.records += 1
    const problem = problemIn(row, kind)
    if (problem !== undefined) add(check, { where: table, id: String(columnOf(row, 2)), problem })
  })
  if (table === 'approvals') checkSnapshots(check)
}

const checkSnapshots = (check: Check): void => {
  if (check.version < 2) return
  const select = prepareStatement(
    check.database,
    `SELECT text, ${checksumOfVersion(check)}, (SELECT id FROM sessions WHERE number = session)
    FROM snapshots`,
  )
  eachRow(check, 'snapshots', select, [], (row) => {
    check.report.records += 1
    if (intactText(row) === undefined)
      add(check, { where: 'snapshots', id: String(columnOf(row, 2)), problem: wrongChecksum })
  })
}

const checkBlobs = (check: Check): void => {
  const hashes = prepareStatement(check.database, 'SELECT hash FROM blobs')
  const select = prepareStatement(check.database, 'SELECT bytes FROM blobs WHERE hash = ?')
  eachRow(check, 'blobs', hashes, [], (row) => {
    check.report.blobs += 1
    const hash = String(columnOf(row, 0))
    const bytes = columnOf(readableRows(select, hash).rows[0], 0)
    const isWhole = bytes instanceof Uint8Array && blobRefOf(bytes).hash === hash
    if (!isWhole)
      add(check, { where: 'blobs', id: hash, problem: 'Its bytes do not have this hash.' })
  })
  const missing = prepareStatement(
    check.database,
    'SELECT DISTINCT hash FROM blob_owners WHERE hash NOT IN (SELECT hash FROM blobs)',
  )
  eachRow(check, 'blobs', missing, [], (row) =>
    add(check, { where: 'blobs', id: String(columnOf(row, 0)), problem: 'The blob is missing.' }),
  )
}

const checkSpending = (check: Check): void => {
  if (check.version < spendingVersion) return
  for (const { id } of findWrongSums(check.database))
    add(check, { where: 'spending', id, problem: 'Its sums of tokens and cost are wrong.' })
}

const wrongChecksum = 'It is not what was stored: its checksum is wrong.'

/** What is wrong with the record in a row; undefined if it is whole. */
const problemIn = (
  row: unknown,
  kind: RecordKind,
  matches: (record: { id?: unknown }) => boolean = () => true,
): string | undefined => {
  if (intactText(row) === undefined) return wrongChecksum
  const record = intactRecord<{ id?: unknown }>(row)
  if (!record) return 'It is not a JSON object.'
  if (!matches(record)) return 'It belongs to another id.'
  return recordProblem(kind, record)
}
