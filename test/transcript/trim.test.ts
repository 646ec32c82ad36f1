import { expect, test } from 'vitest'
import {
  applyEvents,
  emptyTranscript,
  entriesOf,
  fromSnapshot,
  toSnapshot,
  trimTranscript,
} from '../../src/transcript/index.ts'
import {
  close,
  delta,
  end,
  open,
  stampAll,
  start,
  text,
  transcriptOf,
  wholeMessage,
  wholeTool,
} from './events.ts'

const messages = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    wholeMessage(`m${at}`, `${at} ${'x'.repeat(100)}`),
  ).flat()
const sizeOf = (value: unknown) => JSON.stringify(value).length
const snapshotOf = (transcript: ReturnType<typeof emptyTranscript>) =>
  toSnapshot(transcript, { projectId: 'p' })

test('a transcript within the limit is the same object', () => {
  const transcript = transcriptOf(start, ...messages(5), end)
  expect(trimTranscript(transcript, 10_000)).toEqual({ transcript, older: [] })
  expect(trimTranscript(transcript, 10_000).transcript).toBe(transcript)
})

test('of a longer one the latest entries stay, and the others are counted and returned', () => {
  const transcript = transcriptOf(start, ...messages(100))
  const { transcript: trimmed, older } = trimTranscript(transcript, 5000)
  expect([...older, ...entriesOf(trimmed)]).toEqual(entriesOf(transcript))
  expect(trimmed.omitted).toBe(older.length)
  expect(sizeOf(snapshotOf(trimmed))).toBeLessThan(5000)
  expect(sizeOf(snapshotOf(trimmed))).toBeGreaterThan(2000)
  const again = trimTranscript(trimmed, 2000)
  expect(again.transcript.omitted).toBe(older.length + again.older.length)
})

test('what is not over stays, and continues', () => {
  const events = stampAll([
    start,
    { type: 'tool_call', toolCallId: 'running', toolName: 'bash', input: {} },
    ...messages(100),
    open('last'),
    delta('last', 'Of cou'),
  ])
  const rest = stampAll([
    ...events,
    delta('last', 'rse.'),
    close('last', [text('Of course.')]),
  ]).slice(events.length)
  const output = stampAll([
    ...events,
    ...rest,
    { type: 'tool_execution_update', toolCallId: 'running', toolName: 'bash', outputDelta: 'late' },
  ]).slice(-1)
  const { transcript } = trimTranscript(applyEvents(emptyTranscript(), events), 3000)
  const after = applyEvents(transcript, [...rest, ...output])
  const entries = entriesOf(after)
  expect(entries[0]).toMatchObject({ kind: 'tool', toolCallId: 'running', output: 'late' })
  expect(entries.at(-1)).toMatchObject({ messageId: 'last', isStreaming: false })
  expect(snapshotOf(fromSnapshot(snapshotOf(after)))).toEqual(snapshotOf(after))
})

test('the threads of tools that are left out are left out, too', () => {
  const parent = { parentToolCallId: 't' }
  const subagent = Array.from({ length: 50 }, (_, at) =>
    wholeMessage(`s${at}`, 'y'.repeat(100), parent),
  ).flat()
  const before = transcriptOf(start, ...wholeTool('t', 'done'), ...subagent, ...messages(20))
  expect(before.threads).toHaveLength(2)
  const { transcript } = trimTranscript(before, 5000)
  expect(transcript.threads).toHaveLength(1)
  expect(entriesOf(transcript).length).toBeGreaterThan(10)
})

test('a long subagent that still works is cut as well', () => {
  const parent = { parentToolCallId: 't' }
  const subagent = Array.from({ length: 500 }, (_, at) =>
    wholeMessage(`s${at}`, 'y'.repeat(100), parent),
  ).flat()
  const call = { type: 'tool_call', toolCallId: 't', toolName: 'task', input: {} } as const
  const { transcript } = trimTranscript(transcriptOf(start, call, ...subagent), 5000)
  expect(sizeOf(snapshotOf(transcript))).toBeLessThan(5000)
  expect(entriesOf(transcript, 't').length).toBeGreaterThan(5)
  expect(transcript.omitted).toBeGreaterThan(400)
})

test('a compaction does not bring back what was left out', () => {
  const { transcript } = trimTranscript(transcriptOf(start, ...messages(100), end), 5000)
  const compacted = applyEvents(transcript, [
    { type: 'compaction_start' },
    { type: 'compaction_end', summary: 'Much was said.' },
  ])
  expect(transcript.omitted).toBeGreaterThan(50)
  expect(snapshotOf(compacted)).toMatchObject({ omitted: transcript.omitted })
})

test('a text that streams without end stays within what a program can hold', () => {
  const half = 'x'.repeat(2 ** 25)
  const deltas = Array.from({ length: 20 }, () => delta('m', half))
  const [entry] = entriesOf(transcriptOf(start, open('m'), ...deltas))
  const [block] = entry?.kind === 'message' ? entry.message.content : []
  const length = block?.type === 'text' && typeof block.text === 'string' ? block.text.length : 0
  expect(length).toBeGreaterThan(2 ** 25)
  expect(length).toBeLessThan(2 ** 26 + 100)
})
