import type { BudgetLimits, BudgetMeasure, BudgetUse, OnExceeded } from '../events/types.ts'

/** What can be limited. */
export const measures: readonly BudgetMeasure[] = ['costUsd', 'tokens', 'durationMs']

/** What was used, by measure. A cost that is unknown counts as zero. */
export type Spent = Readonly<Record<BudgetMeasure, number>>

export const nothingSpent: Spent = { costUsd: 0, tokens: 0, durationMs: 0 }

/** One limit that holds for a session, and how much of it is used. */
export interface LimitInForce extends BudgetUse {
  /** The limit as it was set at first. */
  base: number
  onExceeded: OnExceeded
}

/** From this part of a limit on, people are warned. */
const warningPart = 0.8

/** How far a limit is used. */
export const levelOf = ({ spent, limit }: BudgetUse): 'free' | 'warning' | 'exceeded' => {
  if (spent >= limit) return 'exceeded'
  return spent >= limit * warningPart ? 'warning' : 'free'
}

/** How much may be used until something is to be done: until the warning, or until the end. */
export const leftUntilNext = ({ spent, limit }: BudgetUse): number =>
  spent < limit * warningPart ? limit * warningPart - spent : limit - spent

/** The fields of a use that events and approvals have. */
export const useOf = ({ base: _, onExceeded: __, ...use }: LimitInForce): BudgetUse => use

/** Identifies a limit among those of a session. */
export const limitKey = ({ budgetId, measure }: BudgetUse): string => `${budgetId} ${measure}`

export const addSpent = (left: Spent, right: Spent): Spent => ({
  costUsd: left.costUsd + right.costUsd,
  tokens: left.tokens + right.tokens,
  durationMs: left.durationMs + right.durationMs,
})

export const subtractSpent = (left: Spent, right: Spent): Spent => ({
  costUsd: left.costUsd - right.costUsd,
  tokens: left.tokens - right.tokens,
  durationMs: left.durationMs - right.durationMs,
})

/** The limits with one of them raised further. */
export const addRaise = (
  raised: BudgetLimits | undefined,
  measure: BudgetMeasure,
  amount: number,
): BudgetLimits => {
  const sum = (raised?.[measure] ?? 0) + amount
  return { ...raised, [measure]: measure === 'costUsd' ? sum : Math.max(1, Math.round(sum)) }
}

/** Limits with what they were raised by. */
export const raisedBy = (limits: BudgetLimits, raised: BudgetLimits | undefined): BudgetLimits => {
  const sums = measures.map((measure) => {
    const limit = limits[measure]
    return [measure, limit === undefined ? undefined : limit + (raised?.[measure] ?? 0)] as const
  })
  return Object.fromEntries(sums.filter(([, limit]) => limit !== undefined))
}

/** What remains of the raises of a session when its own limits are replaced. */
export const raisedOfOthers = (
  raised: Readonly<Record<string, BudgetLimits>> = {},
): Record<string, BudgetLimits> =>
  Object.fromEntries(Object.entries(raised).filter(([id]) => id !== 'own'))

/** A budget whose limits are to be counted. */
export interface Counted extends Pick<BudgetUse, 'budgetId' | 'scope' | 'projectId'> {
  limits: BudgetLimits
  raised?: BudgetLimits | undefined
  onExceeded: OnExceeded
}

/** The limits of a budget, with how much of each is used. */
export const limitsInForce = (
  { budgetId, scope, projectId, limits, raised, onExceeded }: Counted,
  spent: Spent,
): LimitInForce[] =>
  measures.flatMap((measure) => {
    const base = limits[measure]
    if (base === undefined) return []
    return {
      budgetId,
      scope,
      measure,
      limit: base + (raised?.[measure] ?? 0),
      spent: Math.max(0, spent[measure]),
      ...(projectId !== undefined && { projectId }),
      base,
      onExceeded,
    }
  })
