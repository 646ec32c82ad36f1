import type { OverviewTotals } from '../../api/types.ts'
import type { Provenance, Totals } from '../../events/types.ts'
import { emptyTotals } from '../../events/usage-sums.ts'
import type { SessionSummary } from './summaries.ts'

/** The totals of all sessions, for the overview feed. */
export const overviewTotalsOf = (
  sessions: readonly SessionSummary[],
  pendingApprovals: number,
): OverviewTotals => ({
  sessions: sessions.length,
  running: sessions.filter(({ record }) => record.state === 'running').length,
  approvals: pendingApprovals,
  usage: sessions.flatMap(({ live }) => live?.usage ?? []).reduce(addTotals, emptyTotals()),
})

const addTotals = (sum: Totals, { costUsd, provenance, ...tokens }: Totals): Totals => ({
  ...sum,
  input: sum.input + tokens.input,
  output: sum.output + tokens.output,
  cacheRead: sum.cacheRead + tokens.cacheRead,
  cacheWrite: sum.cacheWrite + tokens.cacheWrite,
  ...(tokens.reasoning !== undefined && { reasoning: (sum.reasoning ?? 0) + tokens.reasoning }),
  costUsd: costUsd === null ? sum.costUsd : (sum.costUsd ?? 0) + costUsd,
  provenance: {
    tokens: weaker(sum.provenance.tokens, provenance.tokens),
    cost: weakerOrNull(sum.provenance.cost, provenance.cost),
  },
})

/** From the most to the least reliable. A sum is as reliable as the weakest of its parts. */
const reliability: readonly Provenance[] = ['reported', 'computed', 'estimated']
const weaker = (left: Provenance, right: Provenance): Provenance =>
  reliability.indexOf(left) > reliability.indexOf(right) ? left : right
const weakerOrNull = (left: Provenance | null, right: Provenance | null): Provenance | null =>
  left === null || right === null ? (left ?? right) : weaker(left, right)
