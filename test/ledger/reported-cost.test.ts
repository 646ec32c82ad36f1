import { describe, expect, test } from 'vitest'
import type { AgentEvent, ReportedUsage, Usage } from '../../src/events/types.ts'
import { createLedger, fixedPrices, type LedgerOptions } from '../../src/ledger/index.ts'

const call = (
  messageId: string,
  usage: Usage,
  stopReason = 'stop',
  model = 'opus',
): AgentEvent => ({
  type: 'message_end',
  messageId,
  message: { role: 'assistant', content: [], model, usage, stopReason },
})
const cutCall = (messageId: string, usage: Usage = { input: 3, output: 1 }) =>
  call(messageId, { ...usage, estimated: true }, 'aborted')
const report = (reported: ReportedUsage): AgentEvent => ({ type: 'session_update', reported })
const usd = (total: number) => ({ cost: { total } })

const ledgerOf = (events: readonly AgentEvent[], options: LedgerOptions = {}) => {
  const ledger = createLedger(options)
  for (const event of events) ledger.add(event)
  return ledger
}

test('/clear resets the total of the agent, not the total of the session', () => {
  const ledger = createLedger()
  ledger.add(report({ costUsd: 0.25, byModel: { opus: usd(0.25) } }))
  ledger.add({ type: 'session_update', reset: true })
  ledger.add(report({ costUsd: 0, byModel: {} }))
  expect(ledger.totals()).toMatchObject({ costUsd: 0.25, provenance: { cost: 'reported' } })
  ledger.add(report({ costUsd: 0.5, byModel: { opus: usd(0.5) } }))
  expect(ledger.totals().costUsd).toBe(0.75)
  expect(ledger.byModel().opus?.costUsd).toBe(0.75)
})

test('a total that shrinks was reset, even if the agent does not say so', () => {
  const ledger = ledgerOf([
    report({ costUsd: 0.5, byModel: { opus: usd(0.5) } }),
    report({ costUsd: 0.25, byModel: { opus: usd(0.25) } }),
  ])
  expect(ledger.totals().costUsd).toBe(0.75)
  expect(ledger.byModel().opus?.costUsd).toBe(0.75)
})

describe('the cost of a call that was cut', () => {
  test.each(['aborted', 'interrupted', 'abandoned'])(
    'is unknown if it is the only call (%s)',
    (reason) => {
      const cut = call('a', { input: 3, output: 1, estimated: true }, reason)
      const ledger = ledgerOf([cut, report({ costUsd: 0, byModel: {} })])
      expect(ledger.totals()).toMatchObject({ input: 3, costUsd: null, provenance: { cost: null } })
      expect(ledger.byModel().opus).toMatchObject({ costUsd: null })
    },
  )

  test('makes the total of the others a lower bound', () => {
    const ledger = ledgerOf([
      call('a', { input: 5, output: 2 }),
      report({ costUsd: 0.5, byModel: { opus: { input: 5, output: 2, ...usd(0.5) } } }),
      cutCall('b'),
      report({ costUsd: 0.5, byModel: { opus: { input: 5, output: 2, ...usd(0.5) } } }),
      call('c', { input: 7, output: 2 }),
      report({ costUsd: 0.75, byModel: { opus: { input: 12, output: 4, ...usd(0.75) } } }),
    ])
    const expected = { input: 15, costUsd: 0.75, provenance: { cost: 'estimated' } }
    expect(ledger.totals()).toMatchObject(expected)
    expect(ledger.byModel().opus).toMatchObject(expected)
  })

  test('is added if the price is known', () => {
    const ledger = ledgerOf(
      [
        call('a', { input: 5 }),
        report({ costUsd: 0.5, byModel: { opus: { input: 5, ...usd(0.5) } } }),
        cutCall('b', { input: 1_000_000 }),
      ],
      { prices: fixedPrices({ opus: { input: 2 } }, 'test') },
    )
    expect(ledger.totals()).toMatchObject({ costUsd: 2.5, provenance: { cost: 'estimated' } })
  })

  test('is part of the total if the report includes the call', () => {
    const ledger = ledgerOf([
      cutCall('a'),
      report({ costUsd: 0.5, byModel: { opus: { input: 3, output: 9, ...usd(0.5) } } }),
    ])
    expect(ledger.totals()).toMatchObject({
      input: 3,
      output: 9,
      costUsd: 0.5,
      provenance: { cost: 'reported', tokens: 'reported' },
    })
  })

  test('is not hidden by calls of helper models in the same report', () => {
    const ledger = ledgerOf([
      cutCall('a'),
      report({ costUsd: 0.5, byModel: { haiku: { input: 8, output: 4, ...usd(0.5) } } }),
    ])
    expect(ledger.totals()).toMatchObject({
      input: 11,
      output: 5,
      costUsd: 0.5,
      provenance: { cost: 'estimated' },
    })
  })

  test('stays unknown when the agent was killed, and in the next process', () => {
    const ledger = ledgerOf([
      call('a', { input: 5 }),
      report({ costUsd: 0.5, byModel: { opus: { input: 5, ...usd(0.5) } } }),
      call('b', { input: 6 }, 'toolUse'),
    ])
    const expected = { costUsd: 0.5, provenance: { cost: 'estimated' } }
    expect(ledger.totals()).toMatchObject(expected)
    ledger.nextProcess()
    expect(ledger.totals()).toMatchObject(expected)
    ledger.add(report({ costUsd: 0.25, byModel: { opus: usd(0.25) } }))
    expect(ledger.totals()).toMatchObject({ ...expected, costUsd: 0.75 })
  })
})

describe('cost by model', () => {
  test('comes from the counters of each model', () => {
    const ledger = ledgerOf([
      report({ costUsd: 0.75, byModel: { opus: usd(0.5), haiku: usd(0.25) } }),
      report({ costUsd: 1, byModel: { opus: usd(0.75), haiku: usd(0.25) } }),
    ])
    expect(ledger.byModel()).toMatchObject({
      opus: { costUsd: 0.75, provenance: { cost: 'reported' } },
      haiku: { costUsd: 0.25, provenance: { cost: 'reported' } },
    })
  })

  test('adds up over processes, also if a resumed agent includes the earlier ones', () => {
    const ledger = ledgerOf([
      report({ costUsd: 0.25, byModel: { opus: usd(0.25) }, sinceLast: { opus: usd(0.25) } }),
    ])
    ledger.nextProcess()
    ledger.add(
      report({ costUsd: 0.75, byModel: { opus: usd(0.75) }, sinceLast: { opus: usd(0.5) } }),
    )
    expect(ledger.byModel().opus?.costUsd).toBe(0.75)
  })

  test('has the name that the messages have, which can end with a date', () => {
    const ledger = ledgerOf([
      call('a', { input: 5 }, 'stop', 'opus-20260101'),
      report({ costUsd: 0.5, byModel: { opus: { input: 5, ...usd(0.5) } } }),
    ])
    expect(ledger.byModel()).toEqual({
      'opus-20260101': expect.objectContaining({ input: 5, costUsd: 0.5 }),
    })
  })
})

test('a report without models leaves the counters as they are', () => {
  const ledger = ledgerOf([
    call('a', { input: 5 }),
    report({ costUsd: 0.5, byModel: { opus: { input: 5, ...usd(0.5) } } }),
    report({ costUsd: 0.5, byModel: {} }),
    call('b', { input: 6 }),
    report({ costUsd: 1, byModel: { opus: { input: 11, ...usd(1) } } }),
  ])
  expect(ledger.totals()).toMatchObject({ input: 11, costUsd: 1 })
  expect(ledger.byModel().opus?.costUsd).toBe(1)
})

test('durations, turns and web requests add up', () => {
  const ledger = ledgerOf([
    report({
      byModel: { opus: { webSearchRequests: 2 } },
      durationMs: 100,
      durationApiMs: 80,
      numTurns: 2,
    }),
    report({ byModel: { opus: { webSearchRequests: 3 } }, durationMs: 50, numTurns: 1 }),
  ])
  expect(ledger.totals()).toMatchObject({
    durationMs: 150,
    durationApiMs: 80,
    numTurns: 3,
    webSearchRequests: 3,
  })
})

test('a saved ledger still knows which costs nobody reported', () => {
  const first = ledgerOf([
    call('a', { input: 5 }),
    report({ costUsd: 0.5, byModel: { opus: { input: 5, ...usd(0.5) } }, durationMs: 9 }),
    cutCall('b'),
  ])
  const { rows, state } = first.save()
  const saved = { rows: [...rows], state }
  expect(createLedger({ from: saved }).totals()).toEqual(first.totals())
  expect(first.totals()).toMatchObject({
    costUsd: 0.5,
    provenance: { cost: 'estimated' },
    durationMs: 9,
  })
})
