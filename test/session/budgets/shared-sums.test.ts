import { expect, test } from 'vitest'
import { noSums } from '../../../src/log/spending-update.ts'
import { createSharedSums, type SharedBudget } from '../../../src/session/budgets/shared-sums.ts'

const spent = (costUsd: number) => ({ costUsd, tokens: 0, durationMs: 0 })
const day: SharedBudget = { id: 'day', scope: 'day' }

/** Sums over a log with this cost. A read waits until `release` is called. */
const openSums = (budgets: SharedBudget[] = [day]) => {
  const stored = { costUsd: 0 }
  let gate = Promise.withResolvers<void>()
  const sums = createSharedSums({
    spending: {
      total: async () => {
        const { costUsd } = stored
        await gate.promise
        return { ...noSums(), costUsd }
      },
    },
    worked: {
      add() {},
      today: () => 0,
      total: () => 0,
      onSetting: async () => {},
      save: async () => {},
    },
    now: () => 0,
    budgets: () => budgets,
  })
  const refresh = async (meanwhile = () => {}) => {
    gate = Promise.withResolvers()
    const done = sums.refresh()
    await Promise.resolve().then(() => {})
    meanwhile()
    gate.resolve()
    await done
  }
  return { sums, stored, refresh }
}

test('a session that comes back while the sums are read still counts', async () => {
  const { sums, refresh } = openSums()
  sums.add({ id: 's' }, spent(0))
  sums.remove('s')
  await refresh(() => sums.add({ id: 's' }, spent(0)))
  sums.report('s', spent(3))
  expect(sums.of(day).costUsd).toBe(3)
})

test('what a session uses counts until the log has it, also when it leaves meanwhile', async () => {
  const { sums, stored, refresh } = openSums()
  sums.add({ id: 's' }, spent(0))
  await refresh(() => {
    sums.report('s', spent(3))
    sums.remove('s')
  })
  expect(sums.of(day).costUsd).toBe(3)
  stored.costUsd = 3
  await refresh()
  expect(sums.of(day).costUsd).toBe(3)
})

test('without a budget, sessions that leave memory leave nothing behind', () => {
  const budgets: SharedBudget[] = []
  const { sums } = openSums(budgets)
  sums.add({ id: 's' }, spent(0))
  sums.report('s', spent(3))
  sums.remove('s')
  budgets.push(day)
  expect(sums.of(day).costUsd).toBe(0)
})
