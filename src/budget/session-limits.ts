import type { BudgetLimits, OnExceeded } from '../events/types.ts'
import { type LimitInForce, limitsInForce, type Spent } from './limits.ts'

/** The limits that hold for one session. */
export interface SessionLimits {
  /** Each limit, with how much of it is used when the session itself has used this much. */
  inForce(own: Spent): LimitInForce[]
  /** The session has used this much. Other sessions that share a limit with it are notified. */
  report(own: Spent): void
  /** Resolves when what sessions share is counted from the log: until then it can be too high. */
  settled(): Promise<void>
  /** Raises a limit: for this session, or for all sessions that share it. */
  raise(limit: LimitInForce, amount: number): void
  /** Calls a listener when limits change or others use more of them. Returns how to end that. */
  subscribe(listener: () => void): () => void
}

/** A session without limits. */
export const unlimited: SessionLimits = {
  inForce: () => [],
  report() {},
  settled: async () => {},
  raise() {},
  subscribe: () => () => {},
}

/** Limits that nothing changes and that no other session shares. */
export const fixedLimits = (limits: BudgetLimits, onExceeded: OnExceeded): SessionLimits => ({
  ...unlimited,
  inForce: (own) => limitsInForce({ budgetId: 'own', scope: 'session', limits, onExceeded }, own),
})
