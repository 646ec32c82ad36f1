import type { BudgetUse } from '../events/types.ts'
import type { Incoming, Transcript } from './transcript.ts'

/** From this part of a limit on, readers see it. */
const shownFrom = 0.8

/** Sets what an event reports about a limit, until it is raised far enough. */
export const setBudget = (
  transcript: Transcript,
  { budget }: Incoming<'budget_update'>,
): Transcript => {
  const others = transcript.budgets.filter((each) => !isSameLimit(each, budget))
  const isShown = budget.spent >= budget.limit * shownFrom
  return { ...transcript, budgets: isShown ? [...others, budget] : others }
}

const isSameLimit = (left: BudgetUse, right: BudgetUse): boolean =>
  left.budgetId === right.budgetId && left.measure === right.measure
