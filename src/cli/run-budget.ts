import { fixedLimits } from '../budget/session-limits.ts'
import type { AgentEvent, BudgetLimits } from '../events/types.ts'
import { emptyTotals } from '../events/usage-sums.ts'
import type { RunningProcess } from '../process/spawn.ts'
import { type BudgetGuard, createBudgetGuard } from '../session/conversation/budget-guard.ts'

export interface RunBudgetOptions {
  limits: BudgetLimits
  process(): Pick<RunningProcess, 'freezer'>
  emit(event: AgentEvent): void
  /** Stops the run. */
  stop(): void
}

/** Holds a run in this process to its limits. Nobody can be asked, so it is stopped at them. */
export const createRunBudget = (
  options: RunBudgetOptions,
): Pick<BudgetGuard, 'observe' | 'close'> =>
  createBudgetGuard({
    limits: fixedLimits(options.limits, 'stop'),
    totals: emptyTotals(),
    workedMs: 0,
    now: Date.now,
    emit: options.emit,
    isWorking: () => true,
    isAborting: () => false,
    hasQueued: () => false,
    request() {},
    withdraw() {},
    freeze: () => options.process().freezer.freeze(),
    unfreeze: () => options.process().freezer.unfreeze(),
    stop: options.stop,
    onDecision() {},
  })
