import type { ProcessCost, Provenance, Totals } from '../events/types.ts'
import {
  contextTokens,
  emptyTotals,
  tokenKinds,
  unpricedIn,
  weakerOrNull,
} from '../events/usage-sums.ts'
import type { UsageRow } from './usage-rows.ts'

/** What rows add up to. */
export interface RowSum {
  /** With the costs of all rows, as if the agent had reported none. */
  totals: Totals
  /** The cost of the rows that no report of the agent includes. */
  added: number
  certainty: Provenance | null
  /** Whether the cost of one of them is unknown. */
  isUnknown: boolean
  /** Models without a price. */
  unpriced: Set<string>
  /** The price lists of the amounts that count. */
  priceLists: Set<string>
}

/** The sums of all rows, and of those of each model. */
export interface RowSums {
  all: RowSum
  byModel: Map<string, RowSum>
}

/** What decides how a row counts. */
export interface RowView {
  /** Number of the current period. */
  period: number
  /** Whether the agent reported any cost in this session. */
  hasReport: boolean
}

/** Adds up the rows of a ledger. Only what changed since the last time is added again. */
export interface RowAdder {
  /** Notes that a row was added, or changed. */
  changed(key: string): void
  sums(view: RowView): RowSums
}

export const createRowAdder = (rows: ReadonlyMap<string, UsageRow>): RowAdder => {
  /** The sums of all rows but the last: that one still changes. */
  let settled: RowSums = emptySums()
  let lastKey: string | undefined
  let view: RowView | undefined
  let isStale = true
  /** How many rows there are, to see whether one is new. */
  let count = rows.size

  const settleLast = (how: RowView): void => {
    const last = lastKey === undefined ? undefined : rows.get(lastKey)
    if (last) addTo(settled, last, how)
  }
  const settleAll = (next: RowView): void => {
    view = { ...next }
    isStale = false
    settled = emptySums()
    lastKey = undefined
    for (const key of rows.keys()) {
      settleLast(view)
      lastKey = key
    }
  }

  return {
    changed(key) {
      const isNew = rows.size > count
      count = rows.size
      if (isStale || key === lastKey) return
      if (isNew && view) {
        settleLast(view)
        lastKey = key
      } else isStale = true
    },
    sums(next) {
      if (isStale || view?.period !== next.period || view.hasReport !== next.hasReport)
        settleAll(next)
      const sums = copyOf(settled)
      const last = lastKey === undefined ? undefined : rows.get(lastKey)
      if (last) addTo(sums, last, next)
      return sums
    },
  }
}

/**
 * The totals of rows with a cost that the agent reported: only calls that no report includes add to it.
 * If their cost is unknown, the reported one is a lower bound; a bound of zero says nothing.
 */
export const withReportedCost = (sum: RowSum, reported: ProcessCost | undefined): Totals => {
  const all = { ...sum.totals, ...unpricedIn(sum.unpriced) }
  if (!reported) return all
  const usd = reported.usd + sum.added
  const certainty = weakerOrNull(reported.provenance, sum.certainty)
  const cost = sum.isUnknown && usd === 0 ? null : certainty
  return {
    ...all,
    costUsd: cost === null ? null : usd,
    provenance: { ...all.provenance, cost },
  }
}

export const emptySum = (): RowSum => ({
  ...{ totals: emptyTotals(), added: 0, certainty: null, isUnknown: false },
  ...{ unpriced: new Set(), priceLists: new Set() },
})

const emptySums = (): RowSums => ({ all: emptySum(), byModel: new Map() })

const copyOfSum = (sum: RowSum): RowSum => ({
  ...sum,
  totals: { ...sum.totals, provenance: { ...sum.totals.provenance } },
  unpriced: new Set(sum.unpriced),
  priceLists: new Set(sum.priceLists),
})

const copyOf = ({ all, byModel }: RowSums): RowSums => ({
  all: copyOfSum(all),
  byModel: new Map(Array.from(byModel, ([model, sum]) => [model, copyOfSum(sum)])),
})

const addTo = ({ all, byModel }: RowSums, row: UsageRow, view: RowView): void => {
  let own = byModel.get(row.model)
  if (!own) {
    own = emptySum()
    byModel.set(row.model, own)
  }
  addRow(all, row, view)
  addRow(own, row, view)
}

const addRow = (sum: RowSum, row: UsageRow, { period, hasReport }: RowView): void => {
  addToTotals(sum.totals, row)
  const isAdded = isUnreported(row, period)
  if (row.costUsd === undefined && hasTokens(row) && (isAdded || !hasReport))
    sum.unpriced.add(row.model)
  if (row.priceList !== undefined && (!hasReport || isAdded)) sum.priceLists.add(row.priceList)
  if (!isAdded) return
  sum.certainty = weakerOrNull(sum.certainty, costCertainty(row))
  sum.added += row.costUsd ?? 0
  sum.isUnknown ||= row.costUsd === undefined
}

const addToTotals = (totals: Totals, row: UsageRow): void => {
  for (const kind of tokenKinds) {
    const tokens = row.tokens[kind]
    if (tokens !== undefined) totals[kind] = (totals[kind] ?? 0) + tokens
  }
  if (row.estimated) totals.provenance.tokens = 'estimated'
  if (row.costUsd === undefined) return
  totals.costUsd = (totals.costUsd ?? 0) + row.costUsd
  totals.provenance.cost = weakerOrNull(totals.provenance.cost, costCertainty(row))
}

/** No report has included the call: it was cut, or the next report is still to come. */
const isUnreported = ({ cost, period: own, unreported }: UsageRow, period: number): boolean =>
  cost === 'estimated' || unreported === true || (cost === 'computed' && own === period)

const hasTokens = ({ tokens }: UsageRow): boolean =>
  contextTokens(tokens) + (tokens.output ?? 0) > 0

/** A cost that was computed from a lower bound, or is not known, is an estimate. */
const costCertainty = ({ cost, costUsd, estimated }: UsageRow): Provenance =>
  cost === 'computed' && (estimated || costUsd === undefined) ? 'estimated' : cost
