import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { entriesOf, runningTools, threadOf } from '../../src/transcript/index.ts'
import {
  call,
  delta,
  open,
  printOutput,
  start,
  transcriptOf,
  wholeMessage,
  wholeTool,
} from './events.ts'
import { entryLines } from './inspect.ts'

const compactionStart: AgentEvent = { type: 'compaction_start', reason: 'threshold' }
const compactionEnd: AgentEvent = {
  type: 'compaction_end',
  summary: 'So far.',
  tokensBefore: 95_000,
}

test('a summary replaces the entries that are over, and keeps the others', () => {
  const inner = { parentToolCallId: 't' }
  const past = [
    start,
    ...wholeMessage('a', 'old'),
    ...wholeTool('t', 'old'),
    ...wholeMessage('s', 'old', inner),
  ]
  const now = [call('u'), open('b'), delta('b', 'new')]
  const before = transcriptOf(...past, ...now, compactionStart)
  expect(before.compaction).toEqual({ reason: 'threshold', startedAt: before.seq + 1000 })
  const after = transcriptOf(
    ...past,
    ...now,
    compactionStart,
    compactionEnd,
    delta('b', 'er'),
    printOutput('u', 'on'),
  )
  expect(entryLines(after)).toEqual(['compactionSummary: So far.', 'u running', 'assistant: newer'])
  expect(runningTools(after)[0]?.output).toBe('on')
  expect(threadOf(after, 't')).toBeUndefined()
  expect(after.compaction).toBeNull()
  expect(entriesOf(after)[0]).toMatchObject({ tokensBefore: 95_000 })
})

test('a thread that is still active stays and can grow', () => {
  const past = [...wholeTool('t', 'old'), ...wholeMessage('s', 'old', { parentToolCallId: 't' })]
  const inner = { parentToolCallId: 'u' }
  const now = [call('u'), call('v', inner), open('b', inner)]
  const after = transcriptOf(...past, ...now, compactionEnd, printOutput('v', 'on'))
  expect(entryLines(after, 'u')).toEqual(['v running', 'assistant: '])
  expect(runningTools(after).map((tool) => tool.output)).toEqual(['', 'on'])
})

test('a second summary replaces the first', () => {
  expect(
    entryLines(
      transcriptOf(
        ...wholeMessage('a', 'x'),
        compactionEnd,
        ...wholeMessage('b', 'y'),
        compactionEnd,
      ),
    ),
  ).toEqual(['compactionSummary: So far.'])
})

test('a failed compaction removes nothing', () => {
  const failed: AgentEvent = { type: 'compaction_end', errorMessage: 'No model.' }
  const after = transcriptOf(...wholeMessage('a', 'x'), compactionStart, failed)
  expect(entryLines(after)).toEqual(['assistant: x', 'error: No model.'])
  expect(after.compaction).toBeNull()
})
