import { describe, expect, test } from 'vitest'
import type { AgentEvent, ReportedUsage, Usage } from '../../src/events/types.ts'
import { createLedger, insertUsageUpdates, type LedgerOptions } from '../../src/ledger/index.ts'
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
  test('a message that is told again counts once; the last amount stands', () => {
    const ledger = ledgerOf([
      message('m', { input: 5, output: 1 }),
      message('m', { input: 5, output: 7 }),
    ])
    expect(ledger.totals()).toMatchObject({ input: 5, output: 7 })
  })

  test('output never shrinks: early lines of a message say too little', () => {
    const ledger = ledgerOf([message('m', { output: 7 }), message('m', { output: 1 })])
    expect(ledger.totals().output).toBe(7)
  })

  test('reports are counters: only what grew since the last one is added', () => {
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

  test('calls that no message showed are topped up, by model', () => {
    const ledger = ledgerOf([
      message('a', { input: 3, output: 5 }),
      report({ byModel: { opus: { input: 3, output: 5 }, haiku: { input: 2, output: 1 } } }),
    ])
    expect(ledger.byModel()).toMatchObject({ opus: { input: 3 }, haiku: { input: 2, output: 1 } })
  })

  test('a report under another name for the model counts nothing twice', () => {
    const ledger = ledgerOf([
      message('a', { input: 3, output: 5 }),
      report({ byModel: { 'claude-opus-4-5-20251101': { input: 3, output: 5 } } }),
    ])
    expect(ledger.totals()).toMatchObject({ input: 3, output: 5 })
  })

  test('a call that the report forgot stays counted, as a lower bound', () => {
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

  test('after /clear the counters begin anew, and what was spent stays spent', () => {
    const ledger = ledgerOf([
      report({ byModel: { opus: { input: 10 } } }),
      { type: 'session_update', reset: true },
      report({ byModel: { opus: { input: 4 } } }),
    ])
    expect(ledger.totals().input).toBe(14)
  })
})

describe('money', () => {
  test('Pi: the sum over messages and compactions', () => {
    const ledger = ledgerOf([
      message('a', { output: 1, cost: { total: 0.25 } }),
      { type: 'compaction_end', summary: 's', usage: { output: 1, cost: { total: 0.5 } } },
    ])
    expect(ledger.totals()).toMatchObject({ costUsd: 0.75, provenance: { cost: 'reported' } })
  })

  test('Claude: the last total of the process, never a sum of totals', () => {
    const ledger = ledgerOf([
      report({ costUsd: 0.1, byModel: {} }),
      report({ costUsd: 0.3, byModel: {} }),
    ])
    expect(ledger.totals().costUsd).toBe(0.3)
  })

  test('a second process adds to the first, also where it counts the former life in', () => {
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

  test('a price list of the agent that did not know the model is an estimate', () => {
    const ledger = ledgerOf([report({ costUsd: 0.1, costBasis: 'estimated', byModel: {} })])
    expect(ledger.totals().provenance.cost).toBe('estimated')
  })

  test('nothing said is unknown, not zero; with prices it is computed', () => {
    const events = [message('a', { input: 1_000_000, output: 2_000_000 })]
    expect(ledgerOf(events).totals().costUsd).toBeNull()
    const priced = ledgerOf(events, { prices: { opus: { input: 3, output: 15 } } }).totals()
    expect(priced).toMatchObject({ costUsd: 33, provenance: { cost: 'computed' } })
  })
})

describe('context', () => {
  test('is what the last call of the main thread sent, cached or not', () => {
    const ledger = ledgerOf([
      { type: 'session_update', contextWindow: 1000 },
      message('a', { input: 10, cacheRead: 200, cacheWrite: 40, output: 99 }),
      message('b', { input: 900 }, { parentToolCallId: 't' }),
    ])
    expect(ledger.context()).toEqual({ used: 250, window: 1000, percent: 25, source: 'last_call' })
  })

  test('is null before the first call, and after a compaction that tells no size', () => {
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

/** What the scripted model behind the recording had served. */
const served = [
  ['claude/2.1.325/bash', { input: 8, cacheRead: 20385, cacheWrite: 2691, output: 60 }],
  ['claude/2.1.325/agents2', { input: 24, cacheRead: 43635, cacheWrite: 7894, output: 229 }],
  ['claude/2.1.325/agentbg', { input: 21, cacheRead: 43773, cacheWrite: 6005, output: 135 }],
  ['claude/2.1.325/budget', { input: 50000, output: 4000 }],
] as const

test.each(served)('%s: the account is what was served, subagents included', (name, tokens) => {
  const { agent, bytes } = recording(name)
  expect(ledgerOf(decodeChunks(agent, [bytes()])).totals()).toMatchObject(tokens)
})

test('the account follows each event that changed it', () => {
  const events = insertUsageUpdates(createLedger(), [
    message('a', { input: 1 }),
    { type: 'agent_start' },
  ])
  expect(events.map(({ type }) => type)).toEqual(['message_end', 'usage_update', 'agent_start'])
})

test('how full the context is may be asked of the agent', () => {
  const ledger = createLedger()
  expect(ledger.add({ type: 'session_update', contextTokens: 50, contextWindow: 200 })).toBe(true)
  expect(ledger.context()).toEqual({ used: 50, window: 200, percent: 25, source: 'agent' })
})
