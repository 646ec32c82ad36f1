import { expect, test } from 'vitest'
import type { AgentEvent, ReportedUsage, Usage } from '../../src/events/types.ts'
import { createLedger, fixedPrices } from '../../src/ledger/index.ts'

const call = (messageId: string, usage: Usage): AgentEvent => ({
  type: 'message_end',
  messageId,
  message: { role: 'assistant', content: [], model: 'qwen', usage, stopReason: 'stop' },
})
const started = (nativeId: string): AgentEvent => ({
  type: 'session_start',
  agent: 'qwen',
  nativeId,
})
const report = (input: number, more: Partial<ReportedUsage> = {}): AgentEvent => ({
  type: 'session_update',
  reported: { counts: 'conversation', byModel: { qwen: { input } }, ...more },
})

test('counters of a conversation go on in the process that resumes it', () => {
  const ledger = createLedger()
  for (const event of [started('a'), call('1', { input: 10 }), report(24)]) ledger.add(event)
  ledger.nextProcess()
  for (const event of [started('a'), call('2', { input: 10 }), report(48)]) ledger.add(event)
  expect(ledger.totals().input).toBe(48)
})

test('counters of another conversation start at zero', () => {
  const ledger = createLedger()
  for (const event of [started('a'), report(24)]) ledger.add(event)
  ledger.nextProcess()
  for (const event of [started('b'), report(30)]) ledger.add(event)
  expect(ledger.totals().input).toBe(54)
})

test('what a resumed conversation had used before the session is not counted', () => {
  const ledger = createLedger()
  const first = report(7200, { isResumed: true })
  for (const event of [started('a'), call('1', { input: 10 }), first]) ledger.add(event)
  expect(ledger.totals().input).toBe(10)
  for (const event of [call('2', { input: 10 }), report(7230)]) ledger.add(event)
  expect(ledger.totals().input).toBe(40)
})

test('a saved ledger still knows the counters of the conversation', () => {
  const first = createLedger()
  for (const event of [started('a'), report(24)]) first.add(event)
  const ledger = createLedger({ from: first.save() })
  ledger.nextProcess()
  for (const event of [started('a'), report(48)]) ledger.add(event)
  expect(ledger.totals().input).toBe(48)
})

test('tokens that only a report shows are priced, and stored with their price', () => {
  const prices = fixedPrices({ qwen: { input: 2 } }, 'test')
  const ledger = createLedger({ prices })
  ledger.add(call('1', { input: 500_000 }))
  const priced = ledger.price(report(1_500_000))
  expect(priced).toMatchObject({
    reported: { computed: { qwen: { total: 2, priceList: 'test' } } },
  })
  ledger.add(priced)
  const expected = { costUsd: 3, provenance: { cost: 'computed' } }
  expect(ledger.totals()).toMatchObject(expected)
  expect(ledger.byModel().qwen).toMatchObject(expected)
  const replayed = createLedger()
  replayed.replay(priced)
  expect(replayed.totals()).toMatchObject({ input: 1_500_000, costUsd: 2 })
})

test('tokens that only a report shows are unpriced without a price, never free', () => {
  const ledger = createLedger({ prices: fixedPrices({}, 'test') })
  ledger.add(ledger.price(report(24)))
  expect(ledger.totals()).toMatchObject({ input: 24, costUsd: null, unpriced: ['qwen'] })
})

test('a cost that goes on over processes is not counted twice', () => {
  const ledger = createLedger()
  for (const event of [started('a'), report(24, { costUsd: 0.01 })]) ledger.add(event)
  ledger.nextProcess()
  for (const event of [started('a'), report(48, { costUsd: 0.03 })]) ledger.add(event)
  expect(ledger.totals().costUsd).toBeCloseTo(0.03)
})

test('what a copied conversation had cost before is not counted', () => {
  const ledger = createLedger()
  const call = { qwen: { input: 10, cost: { total: 0.01 } } }
  const reported = { byModel: {}, sinceLast: call, isResumed: true as const }
  ledger.add({ type: 'session_update', reported: { ...reported, costUsd: 5.01 } })
  expect(ledger.totals().costUsd).toBeCloseTo(0.01)
  ledger.add({ type: 'session_update', reported: { ...reported, costUsd: 5.02 } })
  expect(ledger.totals().costUsd).toBeCloseTo(0.02)
})

test('what a copied conversation had cost is not counted, also by a later process', () => {
  const ledger = createLedger()
  const isResumed = true as const
  for (const event of [started('b'), report(24, { costUsd: 5.01, isResumed })]) ledger.add(event)
  expect(ledger.totals().costUsd).toBeNull()
  ledger.add(report(48, { costUsd: 5.03, isResumed }))
  expect(ledger.totals().costUsd).toBeCloseTo(0.02)
  const later = createLedger({ from: ledger.save() })
  later.nextProcess()
  for (const event of [started('b'), report(72, { costUsd: 5.06 })]) later.add(event)
  expect(later.totals().costUsd).toBeCloseTo(0.05)
})
