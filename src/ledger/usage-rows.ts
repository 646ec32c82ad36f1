import type { ProcessCost, Provenance, TokenCounts, Totals, Usage } from '../events/types.ts'
import { addTokens, emptyTotals, tokenKinds, weakerOrNull } from '../events/usage-sums.ts'
import { ownValue } from '../shared/fields.ts'
import { costOf, type Prices } from './prices.ts'

/** Usage of one model call, one compaction or one report of the agent. */
export interface UsageRow {
  model: string
  tokens: TokenCounts
  costUsd: number | undefined
  /** Where the cost comes from. `estimated`: no report of the agent includes it. */
  cost: Provenance
  /** True if the output can still turn out larger. */
  estimated: boolean
  /** Number of the period in which the row was added. A report of the agent ends a period. */
  period: number
}

/** The rows of a ledger. */
export interface UsageRows {
  /**
   * Records the usage of a call. Usage of the same key is replaced. `isCut`: the call was stopped, so
   * reports leave it out, unless they turn out to include it.
   */
  record(key: string, usage: Usage, model: string, isCut?: boolean): void
  /** Records tokens that a report of the agent contains and no message showed. */
  recordReported(key: string, tokens: TokenCounts, model: string): void
  /** Tokens of the current period, by model: of all calls, or without those that were cut. */
  periodTokens(options?: { withoutCut: true }): Map<string, TokenCounts>
  /** A report includes the calls of a model in the current period that were cut. */
  includeCut(model: string): void
  /** Marks the rows of a model in the current period as final. */
  confirm(model: string): void
  /** A report ends the period: it includes the cost of all calls but those that were cut. */
  nextPeriod(): void
  /** The period ends without a report: the cost of its calls stays unknown. */
  closePeriod(): void
  /** All rows. */
  all(): Iterable<UsageRow>
  /** The rows that changed since the previous call, with their keys. */
  takeChanged(): [key: string, row: UsageRow][]
}

export interface UsageRowsOptions {
  prices: Prices | undefined
  /** The rows to continue with. */
  rows: Iterable<readonly [key: string, row: UsageRow]> | undefined
  /** Holds the number of the current period. */
  state: { period: number }
}

export const createUsageRows = ({ prices, rows: saved, state }: UsageRowsOptions): UsageRows => {
  const rows = new Map<string, UsageRow>(saved)
  /** Keys of the rows of the current period, which the agent’s next report will include. */
  let current = new Set(
    [...rows].flatMap(([key, row]) => (row.period === state.period ? [key] : [])),
  )
  let changed = new Set<string>()

  const set = (key: string, row: UsageRow) => {
    rows.set(key, row)
    changed.add(key)
  }

  return {
    record(key, usage, model, isCut = false) {
      const before = rows.get(key)
      const tokens = addTokens({}, usage)
      const output = Math.max(before?.tokens.output ?? 0, tokens.output ?? 0)
      if (tokens.output !== undefined || before?.tokens.output !== undefined) tokens.output = output
      // A report includes the calls that started before it, even if they end later.
      if (!before) current.add(key)
      set(key, {
        model,
        tokens,
        costUsd: usage.cost ? usage.cost.total : costOf(tokens, prices && ownValue(prices, model)),
        cost: costProvenance(usage, isCut),
        estimated: usage.estimated === true,
        period: before?.period ?? state.period,
      })
    },
    recordReported(key, tokens, model) {
      const { period } = state
      set(key, { model, tokens, costUsd: undefined, cost: 'reported', estimated: false, period })
    },
    periodTokens(options) {
      const sums = new Map<string, TokenCounts>()
      for (const key of current) {
        const row = rows.get(key)
        if (row && !(options?.withoutCut && row.cost === 'estimated'))
          sums.set(row.model, addTokens(sums.get(row.model) ?? {}, row.tokens))
      }
      return sums
    },
    includeCut(model) {
      for (const key of current) {
        const row = rows.get(key)
        if (row?.model === model && row.cost === 'estimated') set(key, { ...row, cost: 'computed' })
      }
    },
    confirm(model) {
      for (const key of current) {
        const row = rows.get(key)
        if (row?.model === model && row.estimated && row.cost !== 'estimated')
          set(key, { ...row, estimated: false })
      }
    },
    nextPeriod() {
      state.period += 1
      current = new Set()
    },
    closePeriod() {
      for (const key of current) {
        const row = rows.get(key)
        if (row?.cost === 'computed') set(key, { ...row, cost: 'estimated' })
      }
      this.nextPeriod()
    },
    all: () => rows.values(),
    takeChanged() {
      const keys = changed
      changed = new Set()
      return [...rows].filter(([key]) => keys.has(key))
    },
  }
}

const costProvenance = (usage: Usage, isCut: boolean): Provenance => {
  if (usage.cost) return 'reported'
  return isCut ? 'estimated' : 'computed'
}

/**
 * The totals of rows. With a cost that the agent reported, only calls that no report includes add to
 * it. If their cost is unknown, the reported one is a lower bound; a bound of zero says nothing.
 */
export const withReportedCost = (
  rows: Iterable<UsageRow>,
  period: number,
  reported: ProcessCost | undefined,
): Totals => {
  const sum = emptyTotals()
  let unreportedUsd: number | undefined
  let hasUnreported = false
  for (const row of rows) {
    addRow(sum, row)
    if (!isUnreported(row, period)) continue
    hasUnreported = true
    if (row.costUsd !== undefined) unreportedUsd = (unreportedUsd ?? 0) + row.costUsd
  }
  if (!reported) return sum
  const usd = reported.usd + (unreportedUsd ?? 0)
  const isUnknown = hasUnreported && unreportedUsd === undefined && usd === 0
  const cost = hasUnreported ? 'estimated' : reported.provenance
  return {
    ...sum,
    costUsd: isUnknown ? null : usd,
    provenance: { ...sum.provenance, cost: isUnknown ? null : cost },
  }
}

/** No report has included the call: it was cut, or the next report is still to come. */
const isUnreported = ({ cost, period: own }: UsageRow, period: number): boolean =>
  cost === 'estimated' || (cost === 'computed' && own === period)

const addRow = (sum: Totals, row: UsageRow) => {
  for (const kind of tokenKinds) {
    const count = row.tokens[kind]
    if (count !== undefined) sum[kind] = (sum[kind] ?? 0) + count
  }
  if (row.estimated) sum.provenance.tokens = 'estimated'
  if (row.costUsd === undefined) return
  sum.costUsd = (sum.costUsd ?? 0) + row.costUsd
  sum.provenance.cost = weakerOrNull(sum.provenance.cost, row.cost)
}
