import type {
  LedgerState,
  ProcessCost,
  ReportedUsage,
  TokenCounts,
  Usage,
} from '../events/types.ts'
import { ownValue } from '../shared/fields.ts'
import { increase, minimum, shortfall, sumTokens } from './token-math.ts'
import type { UsageRows } from './usage-rows.ts'

/**
 * Adds a report of the agent’s own counters. Only what the messages since the last report did not
 * show becomes new rows (hidden calls, final output), so nothing is counted twice.
 */
export const addReport = (state: LedgerState, rows: UsageRows, reported: ReportedUsage): void => {
  state.reports += 1
  const added = Object.entries(reported.sinceLast ?? increases(reported.byModel, state.counters))
  const seen = rows.periodTokens()
  // A report may name a model differently than its messages do, so the sum over all models counts.
  let missing = shortfall(sumTokens(added.map(([, tokens]) => tokens)), sumTokens(seen.values()))
  for (const [model, tokens] of added) {
    const seenOfModel = seen.get(model) ?? {}
    const unseen = minimum(shortfall(tokens, seenOfModel), missing)
    missing = shortfall(missing, unseen)
    if (Object.keys(unseen).length > 0)
      rows.recordReported(`report ${state.reports} ${model}`, unseen, model)
    if ((tokens.output ?? 0) >= (seenOfModel.output ?? 0)) rows.confirm(model)
  }
  rows.nextPeriod()
  state.counters = reported.byModel
  if (reported.costUsd !== undefined) state.processCost = processCostOf(state, reported)
}

/**
 * The cost of the current process. An agent that resumes a session can include the session’s
 * earlier cost in its total. Such agents also report the cost since their last report.
 */
const processCostOf = (
  state: LedgerState,
  { costUsd = 0, costBasis = 'reported', sinceLast }: ReportedUsage,
): ProcessCost => {
  if (state.processes === 1 || !sinceLast) return { usd: costUsd, provenance: costBasis }
  const added = Object.values(sinceLast).reduce((sum, { cost }) => sum + (cost?.total ?? 0), 0)
  return { usd: (state.processCost?.usd ?? 0) + added, provenance: costBasis }
}

const increases = (
  now: Readonly<Record<string, Usage>>,
  before: Readonly<Record<string, Usage>>,
): Record<string, TokenCounts> =>
  Object.fromEntries(
    Object.entries(now).map(([model, usage]) => [
      model,
      increase(usage, ownValue(before, model) ?? {}),
    ]),
  )
