import type { SpendingSums } from '../../events/types.ts'
import {
  type SpendingField,
  type SpendingQuery,
  type SpendingRange,
  type SpendingRow,
  spendingStepMs,
} from '../spending.ts'
import { costBases, noSums, stepOf } from '../spending-update.ts'
import { columnOf, type Database, numberColumn, prepareStatement, type Value } from './database.ts'

/** Reads the sums. */
export interface SpendingQueries {
  list(query: SpendingQuery): SpendingRow[]
  total(range: SpendingRange): SpendingSums
  unfilled(): number
}

/** The columns of the amounts, in the order of `amountNames`. */
export const amountColumns = [
  ...['input', 'output', 'cache_read', 'cache_write', 'reasoning', 'web_searches', 'web_fetches'],
  ...['cost', 'calls'],
] as const

const fieldColumns: Readonly<Record<SpendingField, string>> = {
  step: 'step',
  session: 'id',
  project: 'project',
  agent: 'agent',
  model: 'model',
}

/** Fields of the table of sessions: without them, and without such a condition, it is not read. */
const isOfSession = (field: SpendingField): boolean => field !== 'step' && field !== 'model'

export const createSpendingQueries = (database: Pick<Database, 'prepare'>): SpendingQueries => {
  const count = prepareStatement(database, 'SELECT count(*) FROM spending_unfilled')
  const list = ({ by, ...range }: SpendingQuery): SpendingRow[] => {
    const { sql, values } = statementOf(by, range)
    return prepareStatement(database, sql)
      .all(...values)
      .flatMap((row) => (columnOf(row, 0) === null ? [] : [rowOf(row, by)]))
  }
  return {
    list,
    total: (range) => list({ ...range, by: [] })[0]?.sums ?? noSums(),
    unfilled: () => numberColumn(count.get()),
  }
}

const statementOf = (
  by: readonly SpendingField[],
  { since, until, projectId, sessionId, within }: SpendingRange,
): { sql: string; values: Value[] } => {
  const conditions: string[] = []
  const values: Value[] = []
  const where = (condition: string, value: Value): void => {
    conditions.push(condition)
    values.push(value)
  }
  if (since !== undefined) where('step >= ?', stepOf(since))
  if (until !== undefined) where('step < ?', stepOf(until))
  const ofTime = conditions.length
  if (projectId !== undefined) where('project = ?', projectId)
  if (sessionId !== undefined) where('id = ?', sessionId)
  if (within) {
    values.push(JSON.stringify(within.projects), JSON.stringify(within.sessions))
    conditions.push(
      `((project <> '' AND project IN (SELECT value FROM json_each(?)))
        OR id IN (SELECT value FROM json_each(?)))`,
    )
  }
  const needsSessions = by.some(isOfSession) || conditions.length > ofTime
  const columns = by.map((field) => fieldColumns[field])
  const sql = [
    `SELECT ${[...sumColumns, ...columns].join(', ')} FROM spending`,
    needsSessions ? 'JOIN spending_sessions USING (session)' : '',
    conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '',
    columns.length > 0 ? `GROUP BY ${columns.join(', ')} ORDER BY ${columns.join(', ')}` : '',
  ]
  return { sql: sql.join(' '), values }
}

/** What is selected of each group, before its fields. The first is NULL if nothing was found. */
const sumColumns = [
  ...['min(step)', 'max(step)'],
  ...amountColumns.filter((column) => column !== 'cost').map((column) => `sum(${column})`),
  ...costBases.map((_, basis) => `sum(cost) FILTER (WHERE basis = ${basis})`),
  'count(basis)',
  'json_group_array(DISTINCT model) FILTER (WHERE unpriced = 1)',
]

const rowOf = (row: unknown, by: readonly SpendingField[]): SpendingRow => {
  const values = Array.isArray(row) ? row : []
  const numbers = values.slice(0, sumColumns.length - 1).map((value) => Number(value ?? 0))
  const [first = 0, last = 0] = numbers
  return {
    ...fieldsOf(values.slice(sumColumns.length), by),
    first: first * spendingStepMs,
    last: last * spendingStepMs,
    sums: sumsOf(numbers.slice(2), String(values[sumColumns.length - 1])),
  }
}

const sumsOf = (numbers: readonly number[], unpriced: string): SpendingSums => {
  const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0, ...rest] = numbers
  const [webSearchRequests = 0, webFetchRequests = 0, calls = 0, ...costs] = rest
  const [reported = 0, computed = 0, estimated = 0, known = 0] = costs
  return {
    ...{ input, output, cacheRead, cacheWrite, reasoning, webSearchRequests, webFetchRequests },
    calls,
    costUsd: known > 0 ? reported + computed + estimated : null,
    costBy: { reported, computed, estimated },
    unpriced: unpriced === '[]' ? [] : JSON.parse(unpriced).sort(),
  }
}

const fieldsOf = (
  values: readonly unknown[],
  by: readonly SpendingField[],
): Omit<SpendingRow, 'first' | 'last' | 'sums'> => {
  const fields: Omit<SpendingRow, 'first' | 'last' | 'sums'> = {}
  by.forEach((field, index) => {
    const value = values[index]
    if (field === 'step') fields.step = Number(value) * spendingStepMs
    else if (field === 'session') fields.sessionId = String(value)
    else if (field === 'project') fields.projectId = String(value)
    else fields[field] = String(value)
  })
  return fields
}
