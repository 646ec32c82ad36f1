import type { Cost, Provenance, TokenCounts, Usage } from '../events/types.ts'
import { addTokens } from '../events/usage-sums.ts'
import { defined } from '../shared/fields.ts'
import { createRowAdder, type RowSums } from './row-sums.ts'

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
  /** The price list of a computed cost. */
  priceList?: string | undefined
  /** True if the process ended before it reported the cost of the call. */
  unreported?: true | undefined
}

/** The rows of a ledger. */
export interface UsageRows {
  /**
   * Records the usage of a call. Usage of the same key is replaced. `isCut`: the call was stopped, so
   * reports leave it out, unless they turn out to include it.
   */
  record(key: string, usage: Usage, model: string, isCut?: boolean): void
  /** The tokens that a row would have after `record`: the largest output that was seen counts. */
  tokensOf(key: string, usage: Usage): TokenCounts
  /** Records tokens that a report of the agent contains and no message showed, with a computed cost. */
  recordReported(key: string, tokens: TokenCounts, model: string, computed?: Cost): void
  /** Tokens of the current period, by model: of all calls, or without those that were cut. */
  periodTokens(options?: { withoutCut: true }): Map<string, TokenCounts>
  /** A report includes the calls of a model in the current period that were cut. */
  includeCut(model: string): void
  /** Marks the rows of a model in the current period as final. */
  confirm(model: string): void
  /** A report ends the period: it includes the cost of all calls but those that were cut. */
  nextPeriod(): void
  /** The period ends without a report: no report will include the cost of its calls. */
  closePeriod(): void
  /** All models that have a row. */
  models(): Iterable<string>
  /** What the rows add up to. `hasReport`: the agent reported a cost in this session. */
  sums(options: { hasReport: boolean }): RowSums
  /** The rows that changed since the previous call, with their keys. */
  takeChanged(): [key: string, row: UsageRow][]
}

export interface UsageRowsOptions {
  /** The rows to continue with. */
  rows: Iterable<readonly [key: string, row: UsageRow]> | undefined
  /** Holds the number of the current period. */
  state: { period: number }
}

export const createUsageRows = ({ rows: saved, state }: UsageRowsOptions): UsageRows => {
  const rows = new Map<string, UsageRow>(saved)
  /** Keys of the rows of the current period, which the agent’s next report will include. */
  let current = new Set(
    [...rows].flatMap(([key, row]) => (row.period === state.period ? [key] : [])),
  )
  const models = new Set(Array.from(rows.values(), ({ model }) => model))
  const adder = createRowAdder(rows)
  let changed = new Set<string>()

  const set = (key: string, row: UsageRow) => {
    rows.set(key, row)
    models.add(row.model)
    changed.add(key)
    adder.changed(key)
  }

  const tokensOf = (key: string, usage: Usage) => tokensAfter(rows.get(key), usage)

  return {
    tokensOf,
    record(key, usage, model, isCut = false) {
      const before = rows.get(key)
      // A report includes the calls that started before it, even if they end later.
      if (!before) current.add(key)
      set(key, {
        model,
        tokens: tokensOf(key, usage),
        costUsd: usage.cost?.total,
        cost: costProvenance(usage, isCut),
        estimated: usage.estimated === true,
        period: before?.period ?? state.period,
        ...(usage.cost?.priceList !== undefined && { priceList: usage.cost.priceList }),
      })
    },
    recordReported(key, tokens, model, computed) {
      set(key, { ...reportedRow(model, tokens, computed), period: state.period })
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
        if (row?.cost !== 'computed') continue
        set(key, row.costUsd === undefined ? { ...row, cost: 'estimated' } : unreportedRow(row))
      }
      this.nextPeriod()
    },
    models: () => models,
    sums: ({ hasReport }) => adder.sums({ period: state.period, hasReport }),
    takeChanged() {
      const keys = changed
      changed = new Set()
      return [...rows].filter(([key]) => keys.has(key))
    },
  }
}

/** The largest output that was seen counts. */
const tokensAfter = (before: UsageRow | undefined, usage: Usage): TokenCounts => {
  const tokens = addTokens({}, usage)
  const output = before?.tokens.output
  if (tokens.output !== undefined || output !== undefined)
    tokens.output = Math.max(output ?? 0, tokens.output ?? 0)
  return tokens
}

const reportedRow = (model: string, tokens: TokenCounts, computed: Cost | undefined) => ({
  ...{ model, tokens, costUsd: computed?.total, estimated: false },
  cost: computed ? ('computed' as const) : ('reported' as const),
  ...defined({ priceList: computed?.priceList }),
})

const costProvenance = (usage: Usage, isCut: boolean): Provenance => {
  if (usage.cost && usage.cost.priceList === undefined) return 'reported'
  return isCut ? 'estimated' : 'computed'
}

const unreportedRow = (row: UsageRow): UsageRow => ({ ...row, unreported: true })
