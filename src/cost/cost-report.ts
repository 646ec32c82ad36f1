import type { CostGroup, CostReport, CostRow, ModelCost } from '../api/types.ts'
import {
  type SpendingField,
  type SpendingRange,
  type SpendingRow,
  type SpendingStore,
  spendingStepMs,
} from '../log/spending.ts'
import { noSums } from '../log/spending-update.ts'
import { defined } from '../shared/fields.ts'
import { createBlockFinder, paceOf } from './blocks.ts'
import { createCalendar, type Period } from './calendar.ts'
import { addSums, byCost } from './sums.ts'

/** Where a cost report comes from: a log, or a database that another process has open. */
export interface CostSource {
  spending: Pick<SpendingStore, 'list' | 'unfilled'>
  /** The names of sessions; those without one, and deleted ones, are left out. */
  sessionNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** The names of all projects, by id. */
  projectNames(): Promise<ReadonlyMap<string, string>>
}

export interface CostReportOptions extends SpendingRange {
  group: CostGroup
  timezone: string
  /** Whether each row lists its models. */
  breakdown?: boolean | undefined
  /** How many rows to list at most. */
  limit?: number | undefined
  /** In ms since 1970. The block that is running has a pace. */
  now: number
}

/** What sessions have used, by day, session, model, … */
export const costReportOf = async (
  source: CostSource,
  { group, timezone, breakdown = false, limit = 1000, now, ...range }: CostReportOptions,
): Promise<CostReport> => {
  const fields = fieldsOf[group]
  const withModels = breakdown && group !== 'model'
  const by = [...new Set<SpendingField>([...fields, ...(withModels ? (['model'] as const) : [])])]
  const read = group === 'block' ? { ...range, ...defined({ since: blocksSince(range) }) } : range
  const found = await source.spending.list({ ...read, by })
  const all = rowsOf(found, { periodOf: periodFinder(group, timezone), fields, withModels }).filter(
    ({ end = Number.POSITIVE_INFINITY }) => end > (range.since ?? 0),
  )
  const models = modelsOf(await source.spending.list({ ...range, by: ['model'] }))
  const rows = isOfTime(group) ? all.slice(-limit) : all.sort(compareRows).slice(0, limit)
  const total = noSums()
  for (const { sums } of models) addSums(total, sums)
  const unfilled = await source.spending.unfilled()
  return {
    group,
    timezone,
    ...defined({ since: range.since, until: range.until }),
    rows: (await withNames(rows, group, source)).map((row) => withPace(row, group, now)),
    ...(all.length > rows.length && { omitted: all.length - rows.length }),
    total,
    models,
    ...(unfilled > 0 && { unfilled }),
  }
}

/** Where a block begins depends on those before it, back to a pause of five hours. */
const blocksSince = ({ since }: SpendingRange): number | undefined =>
  since === undefined ? undefined : Math.max(0, since - 7 * 86_400_000)

/** What the rows of each group are read by. */
const fieldsOf: Readonly<Record<CostGroup, readonly SpendingField[]>> = {
  day: ['step'],
  week: ['step'],
  month: ['step'],
  block: ['step'],
  session: ['session', 'agent'],
  project: ['project'],
  agent: ['agent'],
  model: ['model'],
}

const isOfTime = (group: CostGroup): boolean => fieldsOf[group][0] === 'step'

/** Finds the period of times in ascending order; undefined for groups that are not of time. */
const periodFinder = (
  group: CostGroup,
  timezone: string,
): ((time: number) => Period) | undefined => {
  if (group === 'block') return createBlockFinder()
  if (group !== 'day' && group !== 'week' && group !== 'month') return undefined
  const calendar = createCalendar(timezone)
  let last: Period | undefined
  return (time) => {
    if (!last || time < last.start || time >= last.end) last = calendar.periodOf(group, time)
    return last
  }
}

interface RowOptions {
  periodOf: ((time: number) => Period) | undefined
  fields: readonly SpendingField[]
  withModels: boolean
}

const rowsOf = (
  found: readonly SpendingRow[],
  { periodOf, fields, withModels }: RowOptions,
): CostRow[] => {
  const rows = new Map<string, CostRow>()
  const models = new Map<string, Map<string, ModelCost>>()
  for (const each of found) {
    const period = periodOf?.(each.first)
    const key = period?.key ?? keyOf(each, fields[0])
    const row = rows.get(key) ?? {
      ...(period ?? { key }),
      ...defined({ agent: fields[0] === 'session' ? each.agent : undefined }),
      ...{ firstUse: each.first, lastUse: each.last + spendingStepMs, sums: noSums() },
    }
    row.firstUse = Math.min(row.firstUse, each.first)
    row.lastUse = Math.max(row.lastUse, each.last + spendingStepMs)
    addSums(row.sums, each.sums)
    rows.set(key, row)
    if (withModels) addModel(mapIn(models, key), each)
  }
  return [...rows].map(([key, row]) => {
    const own = models.get(key)
    return own ? { ...row, models: sorted([...own.values()]) } : row
  })
}

const keyOf = (
  { sessionId, projectId, agent, model }: SpendingRow,
  field: SpendingField | undefined,
): string => {
  if (field === 'session') return sessionId ?? ''
  if (field === 'project') return projectId ?? ''
  return (field === 'agent' ? agent : model) ?? ''
}

const mapIn = <Value>(maps: Map<string, Map<string, Value>>, key: string): Map<string, Value> => {
  const map = maps.get(key) ?? new Map<string, Value>()
  maps.set(key, map)
  return map
}

const addModel = (models: Map<string, ModelCost>, { model = '', sums }: SpendingRow): void => {
  const sum = models.get(model) ?? { model, sums: noSums() }
  addSums(sum.sums, sums)
  models.set(model, sum)
}

const modelsOf = (rows: readonly SpendingRow[]): ModelCost[] =>
  sorted(rows.map(({ model = '', sums }) => ({ model, sums })))

const sorted = (models: ModelCost[]): ModelCost[] =>
  models.sort((left, right) => byCost(left.sums, right.sums))

const compareRows = (left: CostRow, right: CostRow): number =>
  byCost(left.sums, right.sums) || right.lastUse - left.lastUse

const withNames = async (
  rows: CostRow[],
  group: CostGroup,
  source: CostSource,
): Promise<CostRow[]> => {
  if (group !== 'session' && group !== 'project') return rows
  const names =
    group === 'session'
      ? await source.sessionNames(rows.map(({ key }) => key))
      : await source.projectNames()
  return rows.map((row) => ({ ...row, ...defined({ name: names.get(row.key) }) }))
}

const withPace = (row: CostRow, group: CostGroup, now: number): CostRow => {
  const pace = group === 'block' ? paceOf(row, now) : undefined
  return { ...row, ...(pace && { pace }) }
}
