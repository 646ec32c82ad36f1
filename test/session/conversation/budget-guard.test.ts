import { expect, test } from 'vitest'
import { limitsInForce } from '../../../src/budget/limits.ts'
import { unlimited } from '../../../src/budget/session-limits.ts'
import type { AgentEvent } from '../../../src/events/types.ts'
import { emptyTotals } from '../../../src/events/usage-sums.ts'
import { createBudgetGuard } from '../../../src/session/conversation/budget-guard.ts'

/** A guard with a limit of one dollar for all sessions of a day. */
const openGuard = (settled: () => Promise<void>) => {
  const emitted: AgentEvent[] = []
  const budget = { budgetId: 'day', scope: 'day', onExceeded: 'stop' } as const
  const guard = createBudgetGuard({
    limits: {
      ...unlimited,
      inForce: (own) => limitsInForce({ ...budget, limits: { costUsd: 1 } }, own),
      settled,
    },
    totals: emptyTotals(),
    workedMs: 0,
    now: () => 0,
    emit: (event) => void emitted.push(event),
    isWorking: () => true,
    isAborting: () => false,
    hasQueued: () => false,
    request() {},
    withdraw() {},
    freeze() {},
    unfreeze() {},
    stop() {},
    onDecision() {},
  })
  return { guard, emitted }
}

const spend = (costUsd: number): AgentEvent => ({
  type: 'usage_update',
  totals: { ...emptyTotals(), costUsd },
  byModel: {},
  context: null,
})

test('a limit that is shared is reported when the sums are read', async () => {
  const { guard, emitted } = openGuard(async () => {})
  guard.observe(spend(2))
  expect(emitted).toEqual([])
  await Promise.resolve().then(() => {})
  await Promise.resolve().then(() => {})
  expect(emitted).toMatchObject([{ level: 'exceeded' }, { code: 'budget_exceeded' }])
})

test('a session that has left memory emits nothing when the sums are read', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { guard, emitted } = openGuard(() => promise)
  guard.observe(spend(2))
  guard.close()
  resolve()
  await promise.then(() => {}).then(() => {})
  await Promise.resolve().then(() => {})
  expect(emitted).toEqual([])
})
