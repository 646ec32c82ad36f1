import type { CostGroup, CostReport, CostRow, ModelCost } from '../api/types.ts'
import type { SpendingSums } from '../events/types.ts'
import {
  type SpendingField,
  type SpendingRange,
  type SpendingRow,
  type SpendingSpan,
  type SpendingStore,
  spendingStepMs,
} from '../log/spending.ts'
import { noSums } from '../log/spending-update.ts'
import { defined } from '../shared/fields.ts'
import { createBlockFinder, paceOf } from './blocks.ts'
import { type Calendar, createCalendar, type Period, type PeriodKind } from './calendar.ts'
import { addSums, byCost } from './sums.ts'

/** Where a cost report comes from: a log, or a database that another process has open. */
export interface CostSource {
  spending: Pick<SpendingStore, 'list' | 'span' | 'unfilled'>
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
  /** Whether to sum up by model, too. Otherwise that is done only if models have no price. */
  withModels?: boolean | undefined
  /** How many rows to list at most. */
  limit?: number | undefined
  /** In ms since 1970. The block that is running has a pace. */
  now: number
}

/** What sessions have used, by day, session, model, … */
export const costReportOf = async (
  source: CostSource,
  { group, timezone, breakdown = false, limit = 1000, now, ...options }: CostReportOptions,
): Promise<CostReport> => {
  const { withModels = true, ...range } = options
  const fields = fieldsOf[group]
  const isBrokenDown = breakdown && group !== 'model'
  const by = [...new Set<SpendingField>([...fields, ...(isBrokenDown ? (['model'] as const) : [])])]
  const read = group === 'block' ? { ...range, ...defined({ since: blocksSince(range) }) } : range
  const periods = isCalendar(group)
    ? periodsOf(createCalendar(timezone), group, await source.spending.span(range))
    : []
  const bounds = isCalendar(group) ? boundsOf(periods) : undefined
  const found = await source.spending.list({ ...read, by, bounds })
  const periodOf = group === 'block' ? createBlockFinder() : periodFinder(periods)
  const all = rowsOf(found, {
    periodOf: isOfTime(group) ? periodOf : undefined,
    fields,
    isBrokenDown,
  }).filter(({ end = Number.POSITIVE_INFINITY }) => end > (range.since ?? 0))
  const rows = isOfTime(group) ? all.slice(-limit) : all.sort(compareRows).slice(0, limit)
  const total = noSums()
  // The first block may have begun before the range.
  const parts = group === 'block' ? found.filter((each) => each.first >= stepStart(range)) : all
  for (const { sums } of parts) addSums(total, sums)
  const needsModels = withModels || total.unpriced.length > 0
  const models = needsModels ? await source.spending.list({ ...range, by: ['model'] }) : []
  const unfilled = await source.spending.unfilled()
  return {
    group,
    timezone,
    ...defined({ since: range.since, until: range.until }),
    rows: (await withNames(rows, group, source)).map((row) => withPace(row, group, now)),
    ...(all.length > rows.length && { omitted: all.length - rows.length }),
    total,
    models: modelsOf(models),
    ...(unfilled > 0 && { unfilled }),
  }
}

/** Where a block begins depends on those before it, back to a pause of five hours. */
const blocksSince = ({ since }: SpendingRange): number | undefined =>
  since === undefined ? undefined : Math.max(0, since - 7 * 86_400_000)

/** The start of the step that a range begins with. */
const stepStart = ({ since = 0 }: SpendingRange): number => since - (since % spendingStepMs)

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

const isCalendar = (group: CostGroup): group is PeriodKind =>
  group === 'day' || group === 'week' || group === 'month'

/** The periods from the first usage to the last. */
const periodsOf = (
  calendar: Calendar,
  kind: PeriodKind,
  span: SpendingSpan | undefined,
): Period[] => {
  const periods: Period[] = []
  for (let time = span?.first; span && time !== undefined && time <= span.last; ) {
    const period = calendar.periodOf(kind, time)
    periods.push(period)
    time = Math.max(period.end, time + spendingStepMs)
  }
  return periods
}

const boundsOf = (periods: readonly Period[]): number[] => {
  const end = periods.at(-1)?.end
  return [...periods.map(({ start }) => start), ...(end === undefined ? [] : [end])]
}

const periodFinder = (periods: readonly Period[]): ((time: number) => Period | undefined) => {
  const byStart = new Map(periods.map((period) => [period.start, period]))
  return (time) => byStart.get(time)
}

interface RowOptions {
  /** The period of a time. It is called with times in ascending order. */
  periodOf: ((time: number) => Period | undefined) | undefined
  fields: readonly SpendingField[]
  isBrokenDown: boolean
}

const rowsOf = (
  found: readonly SpendingRow[],
  { periodOf, fields, isBrokenDown }: RowOptions,
): CostRow[] => {
  const rows = new Map<string, CostRow>()
  const models = new Map<string, Map<string, ModelCost>>()
  for (const each of found) {
    const period = periodOf?.(each.step ?? each.first)
    const key = period?.key ?? keyOf(each, fields[0])
    const { first: firstUse, agent } = each
    const lastUse = each.last + spendingStepMs
    const row = rows.get(key)
    if (isBrokenDown) addModel(mapIn(models, key), each)
    if (!row) {
      const sums = isBrokenDown ? copiedSums(each.sums) : each.sums
      const own = fields[0] === 'session' && agent !== undefined ? { agent } : {}
      rows.set(key, { ...(period ?? { key }), ...own, firstUse, lastUse, sums })
      continue
    }
    row.firstUse = Math.min(row.firstUse, firstUse)
    row.lastUse = Math.max(row.lastUse, lastUse)
    addSums(row.sums, each.sums)
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

const copiedSums = (sums: SpendingSums): SpendingSums => {
  const copy = noSums()
  addSums(copy, sums)
  return copy
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
