import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { entriesOf, runningTools, threadOf } from '../../src/transcript/index.ts'
import { call, delta, open, print, say, start, transcriptOf, work } from './events.ts'
import { textsIn } from './seen.ts'

const began: AgentEvent = { type: 'compaction_start', reason: 'threshold' }
const summed: AgentEvent = { type: 'compaction_end', summary: 'So far.', tokensBefore: 95_000 }

test('a summary replaces what had ended; what is in flight stays', () => {
  const inner = { parentToolCallId: 't' }
  const past = [start, ...say('a', 'old'), ...work('t', 'old'), ...say('s', 'old', inner)]
  const now = [call('u'), open('b'), delta('b', 'new')]
  const before = transcriptOf(...past, ...now, began)
  expect(before.compaction).toEqual({ reason: 'threshold', startedAt: before.seq + 1000 })
  const after = transcriptOf(...past, ...now, began, summed, delta('b', 'er'), print('u', 'on'))
  expect(textsIn(after)).toEqual(['compactionSummary: So far.', 'u running', 'assistant: newer'])
  expect(runningTools(after)[0]?.output).toBe('on')
  expect(threadOf(after, 't')).toBeUndefined()
  expect(after.compaction).toBeNull()
  expect(entriesOf(after)[0]).toMatchObject({ tokensBefore: 95_000 })
})

test('a thread in which something still happens stays, and is found again', () => {
  const past = [...work('t', 'old'), ...say('s', 'old', { parentToolCallId: 't' })]
  const inner = { parentToolCallId: 'u' }
  const now = [call('u'), call('v', inner), open('b', inner)]
  const after = transcriptOf(...past, ...now, summed, print('v', 'on'))
  expect(textsIn(after, 'u')).toEqual(['v running', 'assistant: '])
  expect(runningTools(after).map((tool) => tool.output)).toEqual(['', 'on'])
})

test('a second summary replaces the first', () => {
  expect(textsIn(transcriptOf(...say('a', 'x'), summed, ...say('b', 'y'), summed))).toEqual([
    'compactionSummary: So far.',
  ])
})

test('one that failed takes nothing away', () => {
  const failed: AgentEvent = { type: 'compaction_end', errorMessage: 'No model.' }
  const after = transcriptOf(...say('a', 'x'), began, failed)
  expect(textsIn(after)).toEqual(['assistant: x', 'error: No model.'])
  expect(after.compaction).toBeNull()
})
