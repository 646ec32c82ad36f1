import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { costSign } from '../../src/events/usage-sums.ts'
import { createResultCollector } from '../../src/handler/result-collector.ts'
import { summaryLine } from '../../src/handler/summary-line.ts'
import { createLedger, fixedPrices, insertUsageUpdates } from '../../src/ledger/index.ts'

const call = (messageId: string, model: string): AgentEvent => ({
  type: 'message_end',
  messageId,
  message: { role: 'assistant', content: [], model, usage: { input: 1_000_000 } },
})

const summaryOf = (calls: readonly AgentEvent[]): string => {
  const prices = fixedPrices({ opus: { input: 2 } }, 'test')
  const collector = createResultCollector(() => 0)
  for (const event of insertUsageUpdates(createLedger({ prices }), calls)) collector.push(event)
  return summaryLine(collector.result())
}

test('the summary marks a computed cost, and names models without a price', () => {
  expect(summaryOf([call('a', 'opus')])).toContain('Cost ≈ $2.00 ·')
  expect(summaryOf([call('a', 'x'), call('b', 'y')])).toContain(
    'Cost unknown (no price for x, y) ·',
  )
})

test('a model that the agent did not name is not called unknown', () => {
  const message = { role: 'assistant' as const, content: [], usage: { input: 5 } }
  expect(summaryOf([{ type: 'message_end', messageId: 'a', message }])).toContain(
    'Cost unknown (the agent did not name its model) ·',
  )
})

test('an amount is marked by where it comes from', () => {
  expect(costSign('reported')).toBe('')
  expect(costSign('computed')).toBe('≈')
  expect(costSign('estimated')).toBe('≥')
  expect(costSign(null)).toBe('')
})
