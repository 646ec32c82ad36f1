import type { Provenance, TokenCounts, Totals, Usage } from '../events/types.ts'
import { addTokens, emptyTotals, tokenKinds } from '../events/usage-sums.ts'
import { ownValue } from '../shared/fields.ts'
import { costOf, type Prices } from './prices.ts'

/** Usage of one model call, one compaction or one report of the agent. */
export interface UsageRow {
  model: string
  tokens: TokenCounts
  costUsd: number | undefined
  /** Where the cost comes from. */
  cost: Provenance
  /** True if the output can still turn out larger. */
  estimated: boolean
  /** Number of the period in which the row was added. A report of the agent ends a period. */
  period: number
}

/** The rows of a ledger. */
export interface UsageRows {
  /** Records the usage of a call. Usage of the same key is replaced. */
  record(key: string, usage: Usage, model: string): void
  /** Records tokens that a report of the agent contains and no message showed. */
  recordReported(key: string, tokens: TokenCounts, model: string): void
  /** Tokens of the current period, by model. */
  periodTokens(): Map<string, TokenCounts>
  /** Marks the rows of a model in the current period as final. */
  confirm(model: string): void
  /** Starts the next period. */
  nextPeriod(): void
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
    record(key, usage, model) {
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
        cost: usage.cost ? 'reported' : 'computed',
        estimated: usage.estimated === true,
        period: before?.period ?? state.period,
      })
    },
    recordReported(key, tokens, model) {
      const { period } = state
      set(key, { model, tokens, costUsd: undefined, cost: 'reported', estimated: false, period })
    },
    periodTokens() {
      const sums = new Map<string, TokenCounts>()
      for (const key of current) {
        const row = rows.get(key)
        if (row) sums.set(row.model, addTokens(sums.get(row.model) ?? {}, row.tokens))
      }
      return sums
    },
    confirm(model) {
      for (const key of current) {
        const row = rows.get(key)
        if (row?.model === model && row.estimated) set(key, { ...row, estimated: false })
      }
    },
    nextPeriod() {
      state.period += 1
      current = new Set()
    },
    all: () => rows.values(),
    takeChanged() {
      const keys = changed
      changed = new Set()
      return [...rows].filter(([key]) => keys.has(key))
    },
  }
}

/** The totals of rows. */
export const totalsOf = (rows: Iterable<UsageRow>): Totals => {
  const sum = emptyTotals()
  for (const row of rows) addRow(sum, row)
  return sum
}

const addRow = (sum: Totals, row: UsageRow) => {
  for (const kind of tokenKinds) {
    const count = row.tokens[kind]
    if (count !== undefined) sum[kind] = (sum[kind] ?? 0) + count
  }
  if (row.estimated) sum.provenance.tokens = 'estimated'
  if (row.costUsd === undefined) return
  sum.costUsd = (sum.costUsd ?? 0) + row.costUsd
  sum.provenance.cost = sum.provenance.cost === 'computed' ? 'computed' : row.cost
}
