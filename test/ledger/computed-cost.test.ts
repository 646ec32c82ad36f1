import { describe, expect, test } from 'vitest'
import { createStamp } from '../../src/events/stamp.ts'
import type { AgentEvent, Usage } from '../../src/events/types.ts'
import { createLedger, fixedPrices, insertUsageUpdates } from '../../src/ledger/index.ts'
import { openMemoryLog } from '../../src/log/memory/memory-log.ts'
import { loadLedger } from '../../src/session/recording/ledger-checkpoints.ts'
import { decodeLines } from '../support/recordings.ts'

const million = 1_000_000
const prices = fixedPrices({ opus: { input: 2, output: 10 } }, 'list 1 (2026-01-01)')
const dearer = fixedPrices({ opus: { input: 4, output: 20 } }, 'list 2 (2026-02-02)')

const call = (
  messageId: string,
  usage: Usage,
  { model = 'opus', stopReason = 'stop' } = {},
): AgentEvent => ({
  type: 'message_end',
  messageId,
  message: { role: 'assistant', content: [], model, usage, stopReason },
})
const report = (costUsd: number): AgentEvent => ({
  type: 'session_update',
  reported: { costUsd, byModel: { opus: { cost: { total: costUsd } } } },
})
const addAll = (events: readonly AgentEvent[], options = { prices }) => {
  const ledger = createLedger(options)
  for (const event of events) ledger.add(event)
  return ledger
}

describe('a computed cost', () => {
  test('counts until the agent reports the cost, and is replaced then', () => {
    const ledger = addAll([call('a', { input: million })])
    expect(ledger.totals()).toMatchObject({ costUsd: 2, provenance: { cost: 'computed' } })
    expect(ledger.priceList()).toBe('list 1 (2026-01-01)')
    ledger.add(report(1.5))
    expect(ledger.totals()).toMatchObject({ costUsd: 1.5, provenance: { cost: 'reported' } })
    expect(ledger.priceList()).toBeUndefined()
    ledger.add(call('b', { input: million }))
    expect(ledger.totals()).toMatchObject({ costUsd: 3.5, provenance: { cost: 'computed' } })
    expect(ledger.byModel().opus).toMatchObject({ costUsd: 3.5, provenance: { cost: 'computed' } })
  })

  test('stays when the process ends without a report, also after later reports', () => {
    const ledger = addAll([call('a', { input: million })])
    ledger.nextProcess()
    expect(ledger.totals()).toMatchObject({ costUsd: 2, provenance: { cost: 'computed' } })
    ledger.add(report(0.5))
    expect(ledger.totals()).toMatchObject({ costUsd: 2.5, provenance: { cost: 'computed' } })
  })

  test('is an estimate for a call that was cut, and while the output is a lower bound', () => {
    const cut = call('a', { input: million, estimated: true }, { stopReason: 'aborted' })
    expect(addAll([cut]).totals()).toMatchObject({ costUsd: 2, provenance: { cost: 'estimated' } })
    const open = call('a', { input: million, estimated: true })
    expect(addAll([open]).totals()).toMatchObject({ costUsd: 2, provenance: { cost: 'estimated' } })
  })

  test('covers the largest output that was seen of a message', () => {
    const events = [call('a', { output: million }), call('a', { output: 1 })]
    expect(addAll(events).totals()).toMatchObject({ output: million, costUsd: 10 })
  })

  test('is never used where the agent reports a cost', () => {
    const ledger = addAll([call('a', { input: million, cost: { total: 7 } })])
    expect(ledger.totals()).toMatchObject({ costUsd: 7, provenance: { cost: 'reported' } })
  })

  test('is part of the events: of a usage update, a message and a compaction', () => {
    const cost = { total: 2, priceList: 'list 1 (2026-01-01)' }
    const events = insertUsageUpdates(createLedger({ prices }), [
      { type: 'message_start', messageId: 'a', messageRole: 'assistant', model: 'opus' },
      {
        type: 'message_update',
        messageId: 'a',
        assistantMessageEvent: { type: 'usage', usage: { input: million } },
      },
      call('a', { input: million }),
      { type: 'session_update', model: 'opus' },
      { type: 'compaction_end', usage: { input: million } },
    ])
    expect(events).toMatchObject([
      {},
      { assistantMessageEvent: { usage: { cost } } },
      { message: { usage: { cost } } },
      { type: 'usage_update', priceList: 'list 1 (2026-01-01)', totals: { costUsd: 2 } },
      {},
      { usage: { cost } },
      { type: 'usage_update', totals: { costUsd: 4 } },
    ])
  })
})

test('prices see which cache writes of Claude Code are for an hour', () => {
  const seen: unknown[] = []
  const ledger = createLedger({
    prices: {
      costOf(_, tokens) {
        seen.push(tokens)
        return { usd: 1, list: 'test' }
      },
    },
  })
  const usage = {
    input_tokens: 1,
    cache_creation_input_tokens: 9,
    cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 },
    output_tokens: 2,
  }
  const message = { id: 'm', role: 'assistant', model: 'opus', content: [], usage }
  for (const event of decodeLines('claude', [{ type: 'assistant', session_id: 's', message }]))
    ledger.add(event)
  expect(seen.at(-1)).toMatchObject({ input: 1, cacheWrite: 9, cacheWrite1h: 5 })
  expect(ledger.totals()).toMatchObject({ cacheWrite: 9, costUsd: 1 })
})

describe('a model without a price', () => {
  test('is named as unpriced, and never costs zero', () => {
    const ledger = addAll([call('a', { input: 5 }, { model: 'homemade' })])
    expect(ledger.totals()).toMatchObject({ costUsd: null, unpriced: ['homemade'] })
    expect(ledger.byModel().homemade).toMatchObject({ costUsd: null, unpriced: ['homemade'] })
  })

  test('leaves the cost of the others a lower bound that names it', () => {
    const ledger = addAll([
      call('a', { input: million }),
      call('b', { input: 5 }, { model: 'homemade' }),
      call('c', { input: 5 }, { model: 'homemade' }),
    ])
    expect(ledger.totals()).toMatchObject({ costUsd: 2, unpriced: ['homemade'] })
    expect(ledger.byModel().opus).not.toHaveProperty('unpriced')
  })

  test('is not unpriced once the agent reports the cost, or if it used no tokens', () => {
    const idle = addAll([call('a', {}, { model: 'homemade' })])
    expect(idle.totals()).not.toHaveProperty('unpriced')
    const ledger = addAll([call('a', { input: 5 }, { model: 'homemade' }), report(1)])
    expect(ledger.totals()).not.toHaveProperty('unpriced')
  })
})

describe('a stored session', () => {
  const stored = async (events: readonly AgentEvent[]) => {
    const log = await openMemoryLog()
    const time = { createdAt: 1, updatedAt: 1, lastActivity: 1 }
    await log.sessions.create({ id: 's', agent: 'claude', cwd: '/x', state: 'idle', ...time })
    await log.append('s', events.map(createStamp('s', () => 1, 0)))
    return log
  }

  test('keeps its amounts when it is loaded with another price list', async () => {
    const first = createLedger({ prices })
    const log = await stored(insertUsageUpdates(first, [call('a', { input: million })]))
    const loaded = await loadLedger(log, 's', { prices: dearer })
    expect(loaded.totals()).toEqual(first.totals())
    loaded.add(call('b', { input: million }))
    expect(loaded.totals().costUsd).toBe(6)
    expect(loaded.priceList()).toBe('list 1 (2026-01-01); list 2 (2026-02-02)')
  })

  test('gets no amounts that it did not have before there were prices', async () => {
    const log = await stored(insertUsageUpdates(createLedger(), [call('a', { input: million })]))
    const loaded = await loadLedger(log, 's', { prices })
    expect(loaded.totals()).toMatchObject({ costUsd: null, unpriced: ['opus'] })
  })
})
