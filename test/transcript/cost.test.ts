import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import {
  applyEvent,
  applyEvents,
  emptyTranscript,
  entriesOf,
  streamingMessage,
  type Transcript,
  threadOf,
} from '../../src/transcript/index.ts'
import { call, delta, open, printOutput, start, wholeMessage, wholeTool } from './events.ts'

const many = (count: number, events: (index: number) => AgentEvent[]): AgentEvent[] =>
  Array.from({ length: count }, (_, index) => events(index)).flat()

/** The transcript of a run with these events. */
const runOf = (...parts: AgentEvent[][]): Transcript =>
  applyEvents(emptyTranscript(), [start, ...parts.flat()])

/** The transcript, and how many of its fields and items were read. */
const counting = (transcript: Transcript) => {
  let reads = 0
  const watch = <Value>(value: Value): Value => {
    if (typeof value !== 'object' || value === null || value instanceof Map) return value
    return new Proxy(value, {
      get(target, key, receiver) {
        reads += 1
        return watch(Reflect.get(target, key, receiver))
      },
    })
  }
  return { transcript: watch(transcript), reads: () => reads }
}

/** How many fields and items are read to apply one event. */
const readsOf = (before: Transcript, event: AgentEvent): number => {
  const { transcript, reads } = counting(before)
  applyEvent(transcript, event)
  return reads()
}

describe('the cost of one delta', () => {
  test('does not depend on the length of the message', () => {
    const streamed = (deltas: number) =>
      runOf(
        [open('a')],
        many(deltas, () => [delta('a', 'word ')]),
      )
    const short = readsOf(streamed(10), delta('a', 'x'))
    expect(readsOf(streamed(200_000), delta('a', 'x'))).toBe(short)
  })

  test('does not depend on the length of the conversation', () => {
    const conversation = (messages: number) =>
      runOf(
        many(messages, (index) => wholeMessage(`m${index}`, 'said')),
        [open('a')],
      )
    const short = readsOf(conversation(30), delta('a', 'x'))
    expect(readsOf(conversation(40_030), delta('a', 'x'))).toBe(short)
    expect(short).toBeLessThan(150)
  })

  test('hardly grows with the number of subagents', () => {
    const inner = (index: number) => ({ parentToolCallId: `t${index}` })
    const withSubagents = (count: number) =>
      runOf(
        many(count, (index) => [
          ...wholeTool(`t${index}`, 'ok'),
          ...wholeMessage(`s${index}`, 'x', inner(index)),
        ]),
        [open('a', inner(0))],
      )
    const subagentDelta = { ...delta('a', 'x'), ...inner(0) }
    expect(readsOf(withSubagents(1), subagentDelta)).toBeLessThan(150)
    expect(readsOf(withSubagents(2000), subagentDelta)).toBeLessThan(300)
  })

  test('does not depend on the amount of tool output', () => {
    const printed = (pieces: number) =>
      runOf(
        [call('t')],
        many(pieces, () => [printOutput('t', 'line\n')]),
      )
    const little = readsOf(printed(10), printOutput('t', 'x'))
    expect(readsOf(printed(100_000), printOutput('t', 'x'))).toBe(little)
  })
})

test('a delta leaves all other entries the same objects', () => {
  const before = runOf(wholeMessage('a', 'x'), wholeTool('t', 'y'), [open('b')])
  const after = applyEvent(before, delta('b', 'z'))
  const old = entriesOf(before)
  expect(entriesOf(after).map((entry, index) => entry === old[index])).toEqual([true, true, false])
  expect(after.running).toBe(before.running)
  expect(after.queued).toBe(before.queued)
  expect(after.approvals).toBe(before.approvals)
})

test('a delta of a subagent leaves the main thread the same object', () => {
  const inner = { parentToolCallId: 't' }
  const before = runOf([call('t'), open('s', inner)])
  const after = applyEvent(before, { ...delta('s', 'x'), ...inner })
  expect(threadOf(after)).toBe(threadOf(before))
  expect(threadOf(after, 't')).not.toBe(threadOf(before, 't'))
})

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const heap = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

test('a streaming text uses little more memory than its length', () => {
  let transcript = runOf([open('a')])
  const before = heap()
  // Deltas as they arrive over a connection: each is a string of its own.
  for (let index = 0; index < 200_000; index += 1)
    transcript = applyEvent(transcript, JSON.parse(JSON.stringify(delta('a', `${index % 10}word`))))
  const grown = heap() - before
  const [block] = streamingMessage(transcript)?.message.content ?? []
  expect(block).toMatchObject({ type: 'text' })
  expect(grown).toBeLessThan(3_000_000)
  expect(JSON.stringify(block).length).toBeGreaterThan(1_000_000)
})
