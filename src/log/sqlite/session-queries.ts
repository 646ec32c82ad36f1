import type { SessionFilter } from '../log.ts'
import { LogFault } from '../log-fault.ts'
import type { SessionRecord } from '../types.ts'
import {
  columnOf,
  type Database,
  numberColumn,
  prepareStatement,
  readableRows,
  readOr,
  type Value,
} from './database.ts'
import type { SessionDamages } from './session-damages.ts'
import { intactRecord } from './stored-text.ts'

/** Reads of the sessions table. A session whose record is damaged is listed with what else is known. */
export interface SessionQueries {
  find(id: string): SessionRecord | undefined
  /** Newest first. */
  list(filter: SessionFilter): SessionRecord[]
}

const columns = 'number, id, project, agent, state, created_at, removed_at, record'

/** `first` is a condition that SQLite finds the rows by. */
const pageOf = (selected: string, first: string): string => `SELECT ${selected} FROM sessions
  WHERE ${first} AND (?1 IS NULL OR project = ?1) AND (?2 IS NULL OR agent = ?2)
    AND (?3 IS NULL OR state = ?3) AND (?4 OR removed_at IS NULL)
    AND (?6 IS NULL OR number < coalesce(
      (SELECT number FROM sessions WHERE id = ?6),
      -- That session was deleted meanwhile: continue after those that are as old.
      (SELECT max(number) + 1 FROM sessions WHERE (created_at, id) < (?5, ?6)), 0))
    AND (?8 IS NULL OR ${creatorColumn} = ?8)
    AND (?9 IS NULL OR project IN (SELECT value FROM json_each(?9))
      OR id IN (SELECT value FROM json_each(?10)))
    AND (?11 IS NULL OR CASE WHEN json_valid(record) THEN record ->> 'comparisonId' END = ?11)
    AND (?12 IS NULL OR ${sourceColumn} = ?12)
  ORDER BY number DESC LIMIT ?7`

/** Who created a session. A damaged record may be no JSON, which SQLite refuses. */
export const creatorColumn = `CASE WHEN json_valid(record) THEN record ->> 'creatorId' END`

const sourceColumn = `CASE WHEN json_valid(record) THEN record ->> 'forkedFrom' END`

/** Without `damages`, for a database of an older version, which has no checksums. */
export const createSessionQueries = (
  database: Pick<Database, 'prepare'>,
  damages?: Pick<SessionDamages, 'find' | 'mark'>,
): SessionQueries => {
  const selected = `${columns}, ${damages ? 'checksum' : 'NULL'}`
  const select = prepareStatement(database, `SELECT ${selected} FROM sessions WHERE id = ?`)
  const selectUnindexed = prepareStatement(
    database,
    `SELECT ${selected} FROM sessions NOT INDEXED WHERE id = ?`,
  )
  const selectPage = prepareStatement(database, pageOf(selected, 'true'))
  const selectNumber = prepareStatement(database, pageOf(selected, 'number = ?13'))
  const selectLast = prepareStatement(
    database,
    `SELECT seq FROM sqlite_sequence WHERE name = 'sessions'`,
  )

  const recordIn = (row: unknown): SessionRecord[] => {
    const id = columnOf(row, 1)
    if (typeof id !== 'string') return []
    const number = numberColumn(row)
    const stored = intactRecord<SessionRecord>(row, { text: 7, checksum: 8 })
    const record = stored?.id === id && hasShape(stored) ? stored : undefined
    if (!record) damages?.mark({ number, id }, recordDamaged)
    const damage = damages?.find(number)
    return [{ ...(record ?? recordFromColumns(row, id)), ...(damage && { damage }) }]
  }

  /** Page by page, a part of the file cannot be read: read what can be read, one by one. */
  const listOneByOne = (values: readonly Value[], limit: number): unknown[] => {
    const rows: unknown[] = []
    for (let number = lastNumber(); number > 0 && rows.length < limit; number -= 1)
      rows.push(...readableRows(selectNumber, ...values, number).rows)
    return rows
  }

  const lastNumber = (): number => {
    const row = selectLast.get()
    return row === undefined ? 0 : numberColumn(row)
  }

  return {
    find(id) {
      const row = readOr(
        () => select.get(id),
        () =>
          readOr(
            () => selectUnindexed.get(id),
            () => {
              throw new LogFault('damaged', tableDamaged)
            },
          ),
      )
      return row === undefined ? undefined : recordIn(row)[0]
    },
    list(filter) {
      const values = valuesOf(filter)
      const { rows, isComplete } = readableRows(selectPage, ...values)
      const all = isComplete ? rows : listOneByOne(values, filter.limit ?? 50)
      return all.flatMap(recordIn)
    },
  }
}

/** For records of older versions, which had no checksum. */
const hasShape = ({ agent, cwd, state, createdAt, updatedAt }: SessionRecord): boolean =>
  [agent, cwd, state].every((each) => typeof each === 'string') &&
  [createdAt, updatedAt].every(Number.isSafeInteger)

const tableDamaged =
  'The table of sessions is damaged, so this session was not found. Stop the server and run `sluice check --repair`.'

const recordDamaged = {
  reason: 'Its record cannot be read, so its directory and its name are unknown.',
}

/** What the columns of a row know of a session. */
const recordFromColumns = (row: unknown, id: string): SessionRecord => {
  const [project, agent, state] = [2, 3, 4].map((column) => columnOf(row, column))
  const createdAt = timeIn(row, 5) ?? 0
  const removedAt = timeIn(row, 6)
  return {
    id,
    agent: typeof agent === 'string' ? agent : 'unknown',
    cwd: '',
    state: state === 'running' || state === 'ended' ? state : 'idle',
    createdAt,
    updatedAt: createdAt,
    ...(typeof project === 'string' && { projectId: project }),
    ...(removedAt !== undefined && { removedAt }),
  }
}

const timeIn = (row: unknown, column: number): number | undefined => {
  const value = columnOf(row, column)
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}

const valuesOf = (filter: SessionFilter): Value[] => {
  const { projectId, agent, state, creatorId, comparisonId, within } = filter
  const { includeRemoved, before, forkedFrom, limit = 50 } = filter
  return [
    projectId ?? null,
    agent ?? null,
    state ?? null,
    includeRemoved ? 1 : 0,
    before?.createdAt ?? null,
    before?.id ?? null,
    limit,
    creatorId ?? null,
    within ? JSON.stringify(within.projects) : null,
    within ? JSON.stringify(within.sessions) : null,
    comparisonId ?? null,
    forkedFrom ?? null,
  ]
}
