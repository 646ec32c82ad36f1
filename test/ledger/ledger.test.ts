import { describe, expect, test } from 'vitest'
import type { AgentEvent, ReportedUsage, Usage } from '../../src/events/types.ts'
import {
  createLedger,
  fixedPrices,
  insertUsageUpdates,
  type LedgerOptions,
} from '../../src/ledger/index.ts'
import { decodeChunks, recording } from '../support/recordings.ts'

const message = (messageId: string, usage: Usage, more: object = {}): AgentEvent => ({
  type: 'message_end',
  messageId,
  message: { role: 'assistant', content: [], model: 'opus', usage },
  ...more,
})
const report = (reported: ReportedUsage): AgentEvent => ({ type: 'session_update', reported })

const ledgerOf = (events: readonly AgentEvent[], options: LedgerOptions = {}) => {
  const ledger = createLedger(options)
  for (const event of events) ledger.add(event)
  return ledger
}

describe('tokens', () => {
  test('a message that is reported again counts once, with its last usage', () => {
    const ledger = ledgerOf([
      message('m', { input: 5, output: 1 }),
      message('m', { input: 5, output: 7 }),
    ])
    expect(ledger.totals()).toMatchObject({ input: 5, output: 7 })
  })

  test('output never shrinks: early lines of a message report too little', () => {
    const ledger = ledgerOf([message('m', { output: 7 }), message('m', { output: 1 })])
    expect(ledger.totals().output).toBe(7)
  })

  test('only the increase since the last report is added', () => {
    const ledger = ledgerOf([
      message('a', { input: 3, output: 1, estimated: true }),
      report({ byModel: { opus: { input: 3, output: 40 } } }),
      message('b', { input: 4, output: 1, estimated: true }),
      report({ byModel: { opus: { input: 7, output: 60 } } }),
    ])
    expect(ledger.totals()).toMatchObject({
      input: 7,
      output: 60,
      provenance: { tokens: 'reported' },
    })
  })

  test('tokens that no message showed are added by model', () => {
    const ledger = ledgerOf([
      message('a', { input: 3, output: 5 }),
      report({ byModel: { opus: { input: 3, output: 5 }, haiku: { input: 2, output: 1 } } }),
    ])
    expect(ledger.byModel()).toMatchObject({ opus: { input: 3 }, haiku: { input: 2, output: 1 } })
  })

  test('a report with another model name counts nothing twice', () => {
    const ledger = ledgerOf([
      message('a', { input: 3, output: 5 }),
      report({ byModel: { 'claude-opus-4-5-20251101': { input: 3, output: 5 } } }),
    ])
    expect(ledger.totals()).toMatchObject({ input: 3, output: 5 })
  })

  test('a call that is missing in the report still counts, as an estimate', () => {
    const ledger = ledgerOf([
      message('a', { input: 3, output: 1, estimated: true }),
      report({ costUsd: 0, byModel: {} }),
    ])
    expect(ledger.totals()).toMatchObject({
      input: 3,
      output: 1,
      provenance: { tokens: 'estimated' },
    })
  })

  test('after /clear the counters restart, and earlier usage stays', () => {
    const ledger = ledgerOf([
      report({ byModel: { opus: { input: 10 } } }),
      { type: 'session_update', reset: true },
      report({ byModel: { opus: { input: 4 } } }),
    ])
    expect(ledger.totals().input).toBe(14)
  })
})

describe('cost', () => {
  test('Pi: is the sum over messages and compactions', () => {
    const ledger = ledgerOf([
      message('a', { output: 1, cost: { total: 0.25 } }),
      { type: 'compaction_end', summary: 's', usage: { output: 1, cost: { total: 0.5 } } },
    ])
    expect(ledger.totals()).toMatchObject({ costUsd: 0.75, provenance: { cost: 'reported' } })
  })

  test('Claude: is the last total of the process, not a sum of totals', () => {
    const ledger = ledgerOf([
      report({ costUsd: 0.1, byModel: {} }),
      report({ costUsd: 0.3, byModel: {} }),
    ])
    expect(ledger.totals().costUsd).toBe(0.3)
  })

  test('a second process adds to the first, even if its total includes the first', () => {
    const plain = createLedger()
    plain.add(report({ costUsd: 0.25, byModel: {} }))
    plain.nextProcess()
    plain.add(report({ costUsd: 0.5, byModel: {} }))
    expect(plain.totals().costUsd).toBe(0.75)
    const cumulative = createLedger()
    cumulative.add(
      report({ costUsd: 0.25, byModel: {}, sinceLast: { opus: { cost: { total: 0.25 } } } }),
    )
    cumulative.nextProcess()
    cumulative.add(
      report({ costUsd: 0.75, byModel: {}, sinceLast: { opus: { cost: { total: 0.5 } } } }),
    )
    expect(cumulative.totals().costUsd).toBe(0.75)
  })

  test('is estimated if the agent does not have a price for the model', () => {
    const ledger = ledgerOf([report({ costUsd: 0.1, costBasis: 'estimated', byModel: {} })])
    expect(ledger.totals().provenance.cost).toBe('estimated')
  })

  test('is unknown if nothing is reported, and computed if there are prices', () => {
    const events = [message('a', { input: 1_000_000, output: 2_000_000 })]
    expect(ledgerOf(events).totals().costUsd).toBeNull()
    const priced = ledgerOf(events, {
      prices: fixedPrices({ opus: { input: 3, output: 15 } }, 'test'),
    }).totals()
    expect(priced).toMatchObject({ costUsd: 33, provenance: { cost: 'computed' } })
  })
})

describe('context', () => {
  test('is the input of the last call of the main thread, cached or not', () => {
    const ledger = ledgerOf([
      { type: 'session_update', contextWindow: 1000 },
      message('a', { input: 10, cacheRead: 200, cacheWrite: 40, output: 99 }),
      message('b', { input: 900 }, { parentToolCallId: 't' }),
    ])
    expect(ledger.context()).toEqual({ used: 250, window: 1000, percent: 25, source: 'last_call' })
  })

  test('is null before the first call, and after a compaction without a size', () => {
    expect(ledgerOf([]).context()).toBeNull()
    const compacted = ledgerOf([
      message('a', { input: 10 }),
      { type: 'compaction_end', summary: 's' },
    ])
    expect(compacted.context()).toBeNull()
  })

  test('has no percent while the window is unknown', () => {
    expect(ledgerOf([message('a', { input: 10 })]).context()).toMatchObject({
      window: null,
      percent: null,
    })
  })
})

/** The tokens that the scripted model of each recording served. */
const served = [
  ['claude/2.1.325/bash', { input: 8, cacheRead: 20385, cacheWrite: 2691, output: 60 }],
  ['claude/2.1.325/agents2', { input: 24, cacheRead: 43635, cacheWrite: 7894, output: 229 }],
  ['claude/2.1.325/agentbg', { input: 21, cacheRead: 43773, cacheWrite: 6005, output: 135 }],
  ['claude/2.1.325/budget', { input: 50000, output: 4000 }],
] as const

test.each(served)(
  '%s: the totals are what the model served, including subagents',
  (name, tokens) => {
    const { agent, bytes } = recording(name)
    expect(ledgerOf(decodeChunks(agent, [bytes()])).totals()).toMatchObject(tokens)
  },
)

test('a usage_update follows each event that changed the usage', () => {
  const events = insertUsageUpdates(createLedger(), [
    message('a', { input: 1 }),
    { type: 'agent_start' },
  ])
  expect(events.map(({ type }) => type)).toEqual(['message_end', 'usage_update', 'agent_start'])
})

test('the agent can report how full the context is', () => {
  const ledger = createLedger()
  expect(ledger.add({ type: 'session_update', contextTokens: 50, contextWindow: 200 })).toBe(true)
  expect(ledger.context()).toEqual({ used: 50, window: 200, percent: 25, source: 'agent' })
})

describe('names of object methods', () => {
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty']
  test.each(names)('a model or message called %s counts like any other', (name) => {
    const ledger = ledgerOf(
      [
        { type: 'message_start', messageId: name, messageRole: 'assistant', model: name },
        {
          type: 'message_update',
          messageId: name,
          assistantMessageEvent: { type: 'usage', usage: { input: 2, output: 3 } },
        },
        report({ byModel: Object.fromEntries([[name, { input: 5, output: 5 }]]) }),
      ],
      { prices: fixedPrices({}, 'test') },
    )
    expect(Object.entries(ledger.byModel())).toMatchObject([[name, { input: 5, output: 5 }]])
    expect(() => ledger.save()).not.toThrow()
  })

  test.each(names)('a message called %s without a model has none', (name) => {
    const ledger = ledgerOf([
      {
        type: 'message_update',
        messageId: name,
        assistantMessageEvent: { type: 'usage', usage: { input: 2, output: 3 } },
      },
    ])
    expect(Object.keys(ledger.byModel())).toEqual(['unknown'])
    expect(() => ledger.save()).not.toThrow()
  })
})
