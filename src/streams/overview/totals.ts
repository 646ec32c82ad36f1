import type { OverviewTotals } from '../../api/types.ts'
import type { Totals } from '../../events/types.ts'
import { addTotals, emptyTotals } from '../../events/usage-sums.ts'
import type { SessionSummary } from './summaries.ts'

/** The totals of all sessions, for the overview feed. */
export const overviewTotalsOf = (
  sessions: readonly SessionSummary[],
  pendingApprovals: number,
  deleted: readonly Totals[] = [],
): OverviewTotals => ({
  sessions: sessions.length,
  running: sessions.filter(({ record }) => record.state === 'running').length,
  approvals: pendingApprovals,
  usage: usagesIn(sessions).reduce(addTotals, emptyTotals()),
  ...(deleted.length > 0 && { deletedUsage: deleted.reduce(addTotals, emptyTotals()) }),
})

/** The usage of each session that has some. What an imported session used was not spent here. */
export const usagesIn = (sessions: readonly SessionSummary[]): Totals[] =>
  sessions.flatMap(({ live, record }) => (record.imported ? [] : (live?.usage ?? [])))
