import type { Provenance, Totals, Usage } from '../events/types.ts'
import { addTokens, emptyTotals, type Tokens, tokenKinds } from '../events/usage-sums.ts'

/** What one model call, compaction or report added. */
export interface UsageRow {
  model: string
  tokens: Tokens
  costUsd: number | undefined
  cost: Provenance
  /** Its output may still turn out larger. */
  estimated: boolean
  /** Between which two reports of the agent it came. */
  period: number
}

/** The sum of rows. */
export const totalsOf = (rows: Iterable<UsageRow>): Totals => {
  const sum = emptyTotals()
  for (const row of rows) addRow(sum, row)
  return sum
}

/** What a report counted and no message showed. */
export const reportRow = (model: string, tokens: Tokens, period: number): UsageRow => ({
  model,
  tokens,
  costUsd: undefined,
  cost: 'reported',
  estimated: false,
  period,
})

export const tokensOf = (usage: Usage): Tokens => addTokens({}, usage)

const addRow = (sum: Totals, row: UsageRow) => {
  for (const kind of tokenKinds) {
    const amount = row.tokens[kind]
    if (amount !== undefined) sum[kind] = (sum[kind] ?? 0) + amount
  }
  if (row.estimated) sum.provenance.tokens = 'estimated'
  if (row.costUsd === undefined) return
  sum.costUsd = (sum.costUsd ?? 0) + row.costUsd
  sum.provenance.cost = sum.provenance.cost === 'computed' ? 'computed' : row.cost
}
