import type { SpendingSums } from '../../events/types.ts'
import {
  type SpendingField,
  type SpendingQuery,
  type SpendingRange,
  type SpendingRow,
  type SpendingSpan,
  spendingStepMs,
} from '../spending.ts'
import { costBases, noSums, stepOf } from '../spending-update.ts'
import { columnOf, type Database, numberColumn, prepareStatement, type Value } from './database.ts'

/** Reads the sums. */
export interface SpendingQueries {
  list(query: SpendingQuery): SpendingRow[]
  span(range: SpendingRange): SpendingSpan | undefined
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

export const createSpendingQueries = (database: Pick<Database, 'prepare'>): SpendingQueries => {
  const count = prepareStatement(database, 'SELECT count(*) FROM spending_unfilled')
  const list = ({ by, bounds, ...range }: SpendingQuery): SpendingRow[] =>
    bounds && by.includes('step')
      ? listBetween(bounds, { by, ...range })
      : listAll({ by, ...range })

  const listAll = ({ by, ...range }: SpendingQuery): SpendingRow[] => {
    const { where, values } = conditionOf(range)
    const read = (sql: string) => prepareStatement(database, sql).all(...values)
    const rows = read(sumsSql(by, where)).filter((row) => columnOf(row, 0) !== null)
    const hasUnpriced = rows.some((row) => columnOf(row, unpricedColumn) === 1)
    const unpriced = hasUnpriced ? modelsByKey(read(unpricedSql(by, where))) : undefined
    return rows.map((row) => rowOf(row, by, unpriced))
  }
  /** One read for each range is faster than one for all: SQLite need not group, nor return each step. */
  const listBetween = (
    bounds: readonly number[],
    { by: fields, ...range }: SpendingQuery,
  ): SpendingRow[] => {
    const by = fields.filter((field) => field !== 'step')
    const { where, values } = conditionOf(range)
    const between = `${where === '' ? 'WHERE' : `${where} AND`} step >= ? AND step < ?`
    const select = prepareStatement(database, sumsSql(by, between, { isNested: false }))
    const selectUnpriced = prepareStatement(database, unpricedSql(by, between))
    return bounds.slice(1).flatMap((end, at) => {
      const start = bounds[at] ?? 0
      const limits = [...values, stepOf(start), stepOf(end)]
      const rows = select.all(...limits).filter((row) => columnOf(row, 0) !== null)
      const hasUnpriced = rows.some((row) => columnOf(row, unpricedColumn) === 1)
      const unpriced = hasUnpriced ? modelsByKey(selectUnpriced.all(...limits)) : undefined
      return rows.map((row) => ({ ...rowOf(row, by, unpriced), step: start }))
    })
  }

  return {
    list,
    span(range) {
      const { where, values } = conditionOf(range)
      // Two reads: each is one step in the index.
      const [first, last] = ['min', 'max'].map((edge) =>
        columnOf(
          prepareStatement(database, `SELECT ${edge}(step) FROM spending ${where}`).get(...values),
          0,
        ),
      )
      if (typeof first !== 'number' || typeof last !== 'number') return undefined
      return { first: first * spendingStepMs, last: last * spendingStepMs }
    },
    total: (range) => list({ ...range, by: [] })[0]?.sums ?? noSums(),
    unfilled: () => numberColumn(count.get()),
  }
}

const conditionOf = ({
  since,
  until,
  projectId,
  sessionId,
  within,
}: SpendingRange): { where: string; values: Value[] } => {
  const conditions: string[] = []
  const ofSession: string[] = []
  const values: Value[] = []
  const add = (list: string[], condition: string, ...added: Value[]): void => {
    list.push(condition)
    values.push(...added)
  }
  if (since !== undefined) add(conditions, 'step >= ?', stepOf(since))
  if (until !== undefined) add(conditions, 'step < ?', stepOf(until))
  if (projectId !== undefined) add(ofSession, 'project = ?', projectId)
  if (sessionId !== undefined) add(ofSession, 'id = ?', sessionId)
  if (within)
    add(
      ofSession,
      `((project <> '' AND project IN (SELECT value FROM json_each(?)))
        OR id IN (SELECT value FROM json_each(?)))`,
      JSON.stringify(within.projects),
      JSON.stringify(within.sessions),
    )
  if (ofSession.length > 0)
    conditions.push(
      `session IN (SELECT session FROM spending_sessions WHERE ${ofSession.join(' AND ')})`,
    )
  return { where: conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '', values }
}

/** How the columns of a group are computed, by their names. `first` is NULL if nothing was found. */
const sums: Readonly<Record<string, string>> = {
  first: 'min(step)',
  last: 'max(step)',
  ...Object.fromEntries(
    amountColumns
      .filter((column) => column !== 'cost')
      .map((column) => [`${column}_sum`, `sum(${column})`]),
  ),
  ...Object.fromEntries(
    costBases.map((name, basis) => [`${name}_cost`, `sum(cost) FILTER (WHERE basis = ${basis})`]),
  ),
  priced: 'count(basis)',
  unpriced: 'max(unpriced)',
}
const sumNames = Object.keys(sums)
const unpricedColumn = sumNames.indexOf('unpriced')
const sumColumns = Object.entries(sums).map(([name, sum]) => `${sum} AS ${name}`)

/** Sums of sums. */
const outerColumns = sumNames.map((name) => {
  if (name === 'first') return 'min(first)'
  return name === 'last' || name === 'unpriced' ? `max(${name})` : `sum(${name})`
})

/**
 * Selects the sums, then the fields. Without steps, the sums of each session come first: the table is in
 * that order, so only they must be sorted, and not all its rows.
 */
const sumsSql = (
  by: readonly SpendingField[],
  where: string,
  { isNested = by.length > 0 && !by.includes('step') } = {},
): string => {
  const inner = by.includes('model') ? 'session, model' : 'session'
  const from = isNested
    ? `(SELECT ${[...sumColumns, inner].join(', ')} FROM spending ${where} GROUP BY ${inner})`
    : 'spending'
  const selected = [...(isNested ? outerColumns : sumColumns), ...by.map(columnFor)]
  const condition = isNested ? '' : where
  return `SELECT ${selected.join(', ')} FROM ${from} ${joinFor(by)} ${condition} ${groupBy(by.map(columnFor))}`
}

/** Selects the models without a price, then the fields. */
const unpricedSql = (by: readonly SpendingField[], where: string): string =>
  `SELECT ${['model', ...by.map(columnFor)].join(', ')} FROM spending ${joinFor(by)}
  ${where === '' ? 'WHERE' : `${where} AND`} unpriced = 1
  ${groupBy([...by.map(columnFor), 'model'])}`

const columnFor = (field: SpendingField): string => fieldColumns[field]

const joinFor = (by: readonly SpendingField[]): string =>
  by.some((field) => field !== 'step' && field !== 'model')
    ? 'JOIN spending_sessions USING (session)'
    : ''

const groupBy = (columns: readonly string[]): string =>
  columns.length > 0 ? `GROUP BY ${columns.join(', ')} ORDER BY ${columns.join(', ')}` : ''

/** The models in the first column, by the fields after it. */
const modelsByKey = (rows: readonly unknown[]): Map<string, string[]> => {
  const models = new Map<string, string[]>()
  for (const row of rows) {
    const [model, ...fields] = Array.isArray(row) ? row : []
    const key = JSON.stringify(fields)
    models.set(key, [...(models.get(key) ?? []), String(model)])
  }
  return models
}

const rowOf = (
  row: unknown,
  by: readonly SpendingField[],
  unpriced: ReadonlyMap<string, string[]> | undefined,
): SpendingRow => {
  const values = Array.isArray(row) ? row : []
  const fields = values.slice(sumNames.length)
  const isUnpriced = values[unpricedColumn] === 1
  return {
    ...fieldsOf(fields, by),
    first: Number(values[0]) * spendingStepMs,
    last: Number(values[1]) * spendingStepMs,
    sums: sumsOf(values, (isUnpriced && unpriced?.get(JSON.stringify(fields))) || []),
  }
}

/** By index, not by destructuring: this runs for each of thousands of rows. */
const sumsOf = (values: readonly unknown[], unpriced: string[]): SpendingSums => {
  const reported = Number(values[10])
  const computed = Number(values[11])
  const estimated = Number(values[12])
  return {
    input: Number(values[2]),
    output: Number(values[3]),
    cacheRead: Number(values[4]),
    cacheWrite: Number(values[5]),
    reasoning: Number(values[6]),
    webSearchRequests: Number(values[7]),
    webFetchRequests: Number(values[8]),
    calls: Number(values[9]),
    costUsd: Number(values[13]) > 0 ? reported + computed + estimated : null,
    costBy: { reported, computed, estimated },
    unpriced,
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
