import type {
  Cost,
  LedgerState,
  ProcessCost,
  ReportedUsage,
  TokenCounts,
  Usage,
} from '../events/types.ts'
import { addRunFigures, addTokens, contextTokens } from '../events/usage-sums.ts'
import { defined, ownValue } from '../shared/fields.ts'
import { increase, minimum, shortfall, sumTokens } from './token-math.ts'
import type { UsageRows } from './usage-rows.ts'

/**
 * Adds a report of the agent’s own counters. Only what the messages since the last report did not
 * show becomes new rows (hidden calls, final output), so nothing is counted twice.
 */
export const addReport = (state: LedgerState, rows: UsageRows, reported: ReportedUsage): void => {
  state.reports += 1
  Object.assign(state, addRunFigures(state, reported))
  const raw = increasesOf(state, rows, reported)
  includeCutCalls(rows, raw)
  const seen = rows.periodTokens({ withoutCut: true })
  const added = Object.entries(namedAsSeen(raw, rows))
  addTokenRows(state, rows, { added, seen, computed: reported.computed ?? {} })
  addModelCosts(state, added, reported)
  rows.nextPeriod()
  // A report can leave models out: those of earlier turns, or all of them after a local command.
  if (reported.counts === 'conversation') {
    const { nativeId } = state
    const counters = { ...countersOf(state, reported), ...reported.byModel }
    const inheritedCost = inheritedCostOf(state, reported)
    state.conversation = { ...defined({ nativeId, inheritedCost }), counters }
  } else state.counters = { ...state.counters, ...reported.byModel }
  if (reported.costUsd !== undefined) addProcessCost(state, reported, reported.costUsd)
}

/** The tokens of a report that no message showed, by model, if the agent reports no cost for them. */
export const tokensToPrice = (
  state: LedgerState,
  rows: UsageRows,
  reported: ReportedUsage,
): Record<string, TokenCounts> => {
  const costs = Object.values(reported.sinceLast ?? reported.byModel).map(({ cost }) => cost)
  if ((reported.costUsd ?? reported.computed ?? costs.find(Boolean)) !== undefined) return {}
  const added = Object.entries(namedAsSeen(increasesOf(state, rows, reported), rows))
  return Object.fromEntries(unseenTokens(added, rows.periodTokens()))
}

/** What the counters of a report count since the last one. */
const increasesOf = (
  state: LedgerState,
  rows: UsageRows,
  reported: ReportedUsage,
): Record<string, Usage> => {
  if (reported.sinceLast) return reported.sinceLast
  const before = countersOf(state, reported)
  // Nothing is known of the conversation before this process: only its messages count.
  if (!before && reported.isResumed) return Object.fromEntries(rows.periodTokens())
  return increases(reported.byModel, before ?? {})
}

/**
 * What a copied conversation had cost in the session that it came from. The first report of the copy
 * includes it, with the first prompt of the copy: nothing says how much that prompt cost.
 */
const inheritedCostOf = (
  { conversation, nativeId, processCost, spent }: LedgerState,
  { isResumed, costUsd }: ReportedUsage,
): number | undefined => {
  const known = conversation?.nativeId === nativeId ? conversation?.inheritedCost : undefined
  return known ?? (isResumed && !processCost && !spent ? costUsd : undefined)
}

/** The counters before a report; undefined if those of its conversation are unknown. */
const countersOf = (
  { counters, conversation, nativeId }: LedgerState,
  { counts }: ReportedUsage,
): Readonly<Record<string, Usage>> | undefined => {
  if (counts !== 'conversation') return counters
  return conversation?.nativeId === nativeId ? conversation?.counters : undefined
}

/** The agent’s counters start at zero again. What they counted stays. */
export const restartCounters = (state: LedgerState): void => {
  const { spent, processCost } = state
  if (processCost) state.spent = { ...processCost, usd: (spent?.usd ?? 0) + processCost.usd }
  state.processCost = undefined
  state.counters = {}
}

interface ReportRows {
  added: readonly (readonly [model: string, usage: Usage])[]
  seen: ReadonlyMap<string, TokenCounts>
  computed: Readonly<Record<string, Cost>>
}

/** Adds rows for the tokens of a report that no message showed. */
const addTokenRows = (
  state: LedgerState,
  rows: UsageRows,
  { added, seen, computed }: ReportRows,
): void => {
  const unseen = unseenTokens(added, seen)
  for (const [model, tokens] of added) {
    const missing = unseen.get(model)
    const key = `report ${state.reports} ${model}`
    if (missing) rows.recordReported(key, missing, model, ownValue(computed, model))
    if ((tokens.output ?? 0) >= (seen.get(model)?.output ?? 0)) rows.confirm(model)
  }
}

/** The tokens of a report that no message showed, by model. */
const unseenTokens = (
  added: ReportRows['added'],
  seen: ReadonlyMap<string, TokenCounts>,
): Map<string, TokenCounts> => {
  // A report may name a model differently than its messages do, so the sum over all models counts.
  let missing = shortfall(sumTokens(added.map(([, tokens]) => tokens)), sumTokens(seen.values()))
  const byModel = new Map<string, TokenCounts>()
  for (const [model, tokens] of added) {
    const unseen = minimum(shortfall(tokens, seen.get(model) ?? {}), missing)
    missing = shortfall(missing, unseen)
    if (Object.keys(unseen).length > 0) byModel.set(model, unseen)
  }
  return byModel
}

/** A report with as much input as all calls of a model had includes those that were cut. */
const includeCutCalls = (rows: UsageRows, added: Readonly<Record<string, Usage>>): void => {
  for (const [model, seen] of rows.periodTokens())
    if (contextTokens(ownValue(added, model) ?? {}) >= contextTokens(seen)) rows.includeCut(model)
}

/** Reports name the model that was requested. Messages can have its full name, with a date. */
const namedAsSeen = (
  added: Readonly<Record<string, Usage>>,
  rows: UsageRows,
): Record<string, Usage> => {
  const names = new Set(rows.models())
  const byName = new Map<string, Usage>()
  for (const [model, usage] of Object.entries(added)) {
    const alike = names.has(model) ? [model] : [...names].filter((each) => isAlike(each, model))
    const name = alike.length === 1 && alike[0] !== undefined ? alike[0] : model
    const before = byName.get(name)
    byName.set(name, before ? addUsage(before, usage) : usage)
  }
  return Object.fromEntries(byName)
}

const isAlike = (left: string, right: string): boolean => undated(left) === undated(right)
const undated = (model: string): string => model.replace(/-\d{8}$/, '')

const addUsage = (left: Usage, right: Usage): Usage => ({
  ...addTokens(left, right),
  ...((left.cost ?? right.cost) && {
    cost: { total: (left.cost?.total ?? 0) + (right.cost?.total ?? 0) },
  }),
})

const addModelCosts = (
  state: LedgerState,
  added: readonly (readonly [model: string, usage: Usage])[],
  { costBasis = 'reported' }: ReportedUsage,
): void => {
  for (const [model, { cost }] of added) {
    if (!cost) continue
    const before = ownValue(state.modelCosts ?? {}, model)?.usd ?? 0
    const now: ProcessCost = { usd: before + cost.total, provenance: costBasis }
    state.modelCosts = { ...state.modelCosts, [model]: now }
  }
}

/**
 * The cost of the current process. An agent that resumes a session can include the session’s
 * earlier cost in its total. Such agents also report the cost since their last report.
 */
const addProcessCost = (
  state: LedgerState,
  { costBasis = 'reported', sinceLast, counts, isResumed }: ReportedUsage,
  costUsd: number,
): void => {
  if (counts === 'conversation') {
    const inherited = state.conversation?.inheritedCost ?? 0
    // Nothing is known of the copy’s own cost yet.
    if (inherited === costUsd && isResumed && !state.processCost) return
    // What the processes before have spent is a part of it.
    const usd = Math.max(0, costUsd - inherited - (state.spent?.usd ?? 0))
    state.processCost = { usd, provenance: costBasis }
    return
  }
  if ((state.processes === 1 && !isResumed) || !sinceLast) {
    // A total that shrank was reset.
    if (costUsd < (state.processCost?.usd ?? 0)) restartCounters(state)
    state.processCost = { usd: costUsd, provenance: costBasis }
    return
  }
  const added = Object.values(sinceLast).reduce((sum, { cost }) => sum + (cost?.total ?? 0), 0)
  state.processCost = { usd: (state.processCost?.usd ?? 0) + added, provenance: costBasis }
}

const increases = (
  now: Readonly<Record<string, Usage>>,
  before: Readonly<Record<string, Usage>>,
): Record<string, Usage> =>
  Object.fromEntries(
    Object.entries(now).map(([model, usage]) => {
      const last = ownValue(before, model) ?? {}
      return [model, { ...increase(usage, last), ...costIncrease(usage, last) }]
    }),
  )

/** By how much the cost of a model grew. A cost that shrank was reset, so all of it is new. */
const costIncrease = ({ cost: now }: Usage, { cost: before }: Usage): Pick<Usage, 'cost'> => {
  if (!now) return {}
  const base = before?.total ?? 0
  return { cost: { total: now.total < base ? now.total : now.total - base } }
}
