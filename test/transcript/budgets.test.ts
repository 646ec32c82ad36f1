import { expect, test } from 'vitest'
import type { AgentEvent, BudgetUse } from '../../src/events/types.ts'
import { fromSnapshot, toSnapshot } from '../../src/transcript/index.ts'
import { transcriptOf } from './events.ts'

const use = (more: Partial<BudgetUse> = {}): BudgetUse => ({
  budgetId: 'own',
  scope: 'session',
  measure: 'costUsd',
  limit: 5,
  spent: 4,
  ...more,
})

const update = (
  level: 'warning' | 'exceeded' | 'raised',
  more: Partial<BudgetUse> = {},
): AgentEvent => ({ type: 'budget_update', level, budget: use(more) })

test('the last report about each limit is shown', () => {
  const tokens = { measure: 'tokens', limit: 100, spent: 90 } as const
  const { budgets } = transcriptOf(
    update('warning'),
    update('warning', tokens),
    update('exceeded', { spent: 5.1 }),
  )
  expect(budgets).toEqual([use(tokens), use({ spent: 5.1 })])
})

test('a limit that was raised far enough is shown no longer', () => {
  const exceeded = update('exceeded', { spent: 5.1 })
  expect(transcriptOf(exceeded, update('raised', { spent: 5.1, limit: 6 })).budgets).toHaveLength(1)
  expect(transcriptOf(exceeded, update('raised', { spent: 5.1, limit: 9 })).budgets).toEqual([])
})

test('a snapshot has the limits', () => {
  const transcript = transcriptOf(update('warning'))
  const snapshot = toSnapshot(transcript, { projectId: 'p' })
  expect(snapshot.budgets).toEqual([use()])
  expect(fromSnapshot(snapshot).budgets).toEqual([use()])
})
