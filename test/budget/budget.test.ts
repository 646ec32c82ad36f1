import { expect, test } from 'vitest'
import { describeUse, formatAmount, parseAmount, parseLimits } from '../../src/budget/amounts.ts'
import { dayOf, startOfDay } from '../../src/budget/day.ts'
import { addRaise, leftUntilNext, levelOf, limitsInForce } from '../../src/budget/limits.ts'
import { createWorkClock } from '../../src/budget/work-clock.ts'

const use = (spent: number, limit = 10) =>
  ({ budgetId: 'own', scope: 'session', measure: 'costUsd', limit, spent }) as const

test('a limit warns at 80 % and is reached at 100 %', () => {
  expect([7.99, 8, 9.99, 10, 11].map((spent) => levelOf(use(spent)))).toEqual([
    'free',
    'warning',
    'warning',
    'exceeded',
    'exceeded',
  ])
  expect(leftUntilNext(use(7))).toBe(1)
  expect(leftUntilNext(use(9))).toBe(1)
})

test('what a limit was raised by is added to it', () => {
  const raised = addRaise(addRaise(undefined, 'costUsd', 2), 'costUsd', 0.5)
  const budget = { budgetId: 'own', scope: 'session', onExceeded: 'ask' } as const
  const spent = { costUsd: 6, tokens: 5, durationMs: 0 }
  expect(limitsInForce({ ...budget, limits: { costUsd: 5 }, raised }, spent)).toEqual([
    { ...use(6, 7.5), base: 5, onExceeded: 'ask' },
  ])
})

test.each([
  ['costUsd', '5', 5, '$5.00'],
  ['costUsd', '$0.004', 0.004, '$0.0040'],
  ['tokens', '200k', 200_000, '200,000 tokens'],
  ['tokens', '2M', 2_000_000, '2,000,000 tokens'],
  ['durationMs', '90', 90_000, '1 min 30 s'],
  ['durationMs', '4h', 14_400_000, '4 h'],
  ['durationMs', '500ms', 500, '500 ms'],
] as const)('%s: %s', (measure, text, amount, shown) => {
  expect(parseAmount(measure, text)).toBe(amount)
  expect(formatAmount(measure, amount)).toBe(shown)
})

test.each([
  ['costUsd', ''],
  ['costUsd', '0'],
  ['costUsd', '-1'],
  ['costUsd', '5k'],
  ['tokens', '0.2'],
  ['tokens', '5x'],
  ['durationMs', '1e9'],
] as const)('%s: “%s” is no amount', (measure, text) => {
  expect(parseAmount(measure, text)).toBeUndefined()
})

test('limits are named in one text', () => {
  expect(parseLimits('cost=5,tokens=2M,time=4h')).toEqual({
    costUsd: 5,
    tokens: 2_000_000,
    durationMs: 14_400_000,
  })
  for (const bad of ['', '5', 'cost', 'cost=', 'money=5', 'cost=5,', '__proto__=1'])
    expect(parseLimits(bad)).toBeUndefined()
})

test('a limit is described in one sentence', () => {
  expect(describeUse(use(10.2))).toBe('The limit of this session ($10.00) is reached: $10.20 used.')
})

test('a day begins at midnight of this machine', () => {
  const noon = new Date(2026, 10, 6, 12).getTime()
  expect(dayOf(noon)).toBe('2026-11-06')
  expect(startOfDay(noon)).toBe(new Date(2026, 10, 6).getTime())
})

test('the clock of a run stands still while anything waits for a person', () => {
  let now = 0
  const clock = createWorkClock(() => now, 1000)
  clock.start()
  now = 100
  clock.wait('a')
  clock.wait('b')
  now = 500
  clock.answered('a')
  now = 600
  clock.answered('b')
  expect(clock.ms()).toBe(1100)
  now = 650
  expect(clock.ms()).toBe(1150)
  clock.stop()
  now = 900
  expect([clock.ms(), clock.isRunning()]).toEqual([1150, false])
})
