import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { entriesOf, runningTools, type Transcript, toSnapshot } from '../../src/transcript/index.ts'
import { modelView } from '../../src/transcript/model-view.ts'
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
  reason: 'threshold',
  tokensBefore: 95_000,
}

/** The entries of the main thread, with `-` before those that the model no longer sees. */
const contextLines = (transcript: Transcript): string[] =>
  entriesOf(transcript).map((entry, index) => {
    const isOut = entry.kind !== 'notice' && entry.outOfContext
    return `${isOut ? '-' : '+'} ${entryLines(transcript)[index]}`
  })

test('a summary joins the conversation, and what is over before it is out of the context', () => {
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
  expect(contextLines(after)).toEqual([
    '- assistant: old',
    '- t done',
    '+ u running',
    '+ assistant: newer',
    '+ compactionSummary: So far.',
  ])
  expect(runningTools(after)[0]?.output).toBe('on')
  expect(entryLines(after, 't')).toEqual(['assistant: old'])
  expect(after.compaction).toBeNull()
  expect(entriesOf(after).at(-1)).toMatchObject({ tokensBefore: 95_000, reason: 'threshold' })
})

test('a second summary stands beside the first, which the model no longer sees', () => {
  const [a, b] = [wholeMessage('a', 'x'), wholeMessage('b', 'y')]
  expect(contextLines(transcriptOf(...a, compactionEnd, ...b, compactionEnd))).toEqual([
    '- assistant: x',
    '- compactionSummary: So far.',
    '- assistant: y',
    '+ compactionSummary: So far.',
  ])
})

test('a compaction without a summary has an entry, too', () => {
  const after = transcriptOf(...wholeMessage('a', 'x'), { type: 'compaction_end', tokensBefore: 9 })
  expect(contextLines(after)).toEqual(['- assistant: x', '+ compactionSummary: '])
})

describe('messages that the agent keeps', () => {
  const user = (messageId: string, timestamp?: number): AgentEvent => ({
    type: 'message_end',
    messageId,
    message: {
      role: 'user',
      content: [{ type: 'text', text: messageId }],
      ...(timestamp !== undefined && { timestamp }),
    },
  })
  const answer = (messageId: string, timestamp: number): AgentEvent => ({
    type: 'message_end',
    messageId,
    message: { role: 'assistant', content: [{ type: 'text', text: messageId }], timestamp },
  })
  /** Sluice stamps its own messages with 1001, 1002 and so on. */
  const past = [user('u1'), answer('a1', 2000), user('u2', 3000), answer('a2', 4000)]
  const kept = (...events: AgentEvent[]) =>
    contextLines(transcriptOf(...past, ...events)).filter((line) => line.startsWith('+'))

  test('are those from the named message on', () => {
    expect(kept({ ...compactionEnd, keptFrom: { id: 'a1' } })).toEqual([
      '+ assistant: a1',
      '+ user: u2',
      '+ assistant: a2',
      '+ compactionSummary: So far.',
    ])
  })

  test('can be named by the time of the agent, after the compaction', () => {
    const keptFrom = { role: 'user', timestamp: 3000 }
    const later = [compactionEnd, user('u3'), { type: 'session_update', keptFrom } as const]
    expect(kept(...later)).toEqual([
      '+ user: u2',
      '+ assistant: a2',
      '+ compactionSummary: So far.',
      '+ user: u3',
    ])
  })

  test('include a prompt that Sluice sent before the agent stamped it', () => {
    const keptFrom = { role: 'user', timestamp: 1500 }
    expect(kept(compactionEnd, { type: 'session_update', keptFrom })).toHaveLength(5)
  })

  test('do not include the prompt when they begin with its answer', () => {
    const keptFrom = { role: 'assistant', timestamp: 2000 }
    expect(kept(compactionEnd, { type: 'session_update', keptFrom })[0]).toBe('+ assistant: a1')
  })

  test('begin with the answer also when its prompt has the same time', () => {
    const events = [user('u3', 5000), answer('a3', 5000), compactionEnd]
    const keptFrom = { role: 'assistant', timestamp: 5000 }
    expect(kept(...events, { type: 'session_update', keptFrom })[0]).toBe('+ assistant: a3')
  })

  test('are none if the agent names a message that nobody has', () => {
    expect(kept({ ...compactionEnd, keptFrom: { id: 'other' } })).toHaveLength(1)
    expect(kept({ type: 'session_update', keptFrom: { id: 'a1' } })).toHaveLength(4)
  })
})

test('what the model sees begins with the summary', () => {
  const transcript = transcriptOf(
    ...wholeMessage('a', 'x'),
    ...wholeMessage('b', 'y'),
    { ...compactionEnd, keptFrom: { id: 'b' } },
    ...wholeMessage('c', 'z'),
  )
  const { messages } = toSnapshot(transcript, { projectId: 'p' })
  const texts = (seen: typeof messages) =>
    seen.map(({ content: [block] }) => block && 'text' in block && block.text)
  expect(texts(messages)).toEqual(['x', 'y', 'So far.', 'z'])
  expect(texts(modelView(messages))).toEqual(['So far.', 'y', 'z'])
  expect(modelView(messages.slice(0, 1))).toEqual([])
})

test('a failed compaction marks nothing', () => {
  const failed: AgentEvent = { type: 'compaction_end', errorMessage: 'No model.' }
  const after = transcriptOf(...wholeMessage('a', 'x'), compactionStart, failed)
  expect(contextLines(after)).toEqual([
    '+ assistant: x',
    '+ error: The compaction failed: No model.',
  ])
  expect(after.compaction).toBeNull()
})
