import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import {
  apply,
  applyAll,
  emptyTranscript,
  entriesOf,
  messageInFlight,
  type Transcript,
  threadOf,
} from '../../src/transcript/index.ts'
import { call, delta, open, print, say, start, work } from './events.ts'

const many = (count: number, events: (index: number) => AgentEvent[]): AgentEvent[] =>
  Array.from({ length: count }, (_, index) => events(index)).flat()

/** A run in which these events came. */
const runOf = (...parts: AgentEvent[][]): Transcript =>
  applyAll(emptyTranscript(), [start, ...parts.flat()])

/** The transcript, and how many of its fields and items have been looked at or copied. */
const watched = (transcript: Transcript) => {
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

/** What it takes to take one event in. */
const workOf = (before: Transcript, event: AgentEvent): number => {
  const { transcript, reads } = watched(before)
  apply(transcript, event)
  return reads()
}

describe('the work for one piece of text', () => {
  test('is the same whether the message is short or long', () => {
    const streamed = (deltas: number) =>
      runOf(
        [open('a')],
        many(deltas, () => [delta('a', 'word ')]),
      )
    const short = workOf(streamed(10), delta('a', 'x'))
    expect(workOf(streamed(200_000), delta('a', 'x'))).toBe(short)
  })

  test('is the same whether the conversation is short or long', () => {
    const heard = (messages: number) =>
      runOf(
        many(messages, (index) => say(`m${index}`, 'said')),
        [open('a')],
      )
    const short = workOf(heard(30), delta('a', 'x'))
    expect(workOf(heard(40_030), delta('a', 'x'))).toBe(short)
    expect(short).toBeLessThan(150)
  })

  test('hardly grows with what subagents did', () => {
    const inner = (index: number) => ({ parentToolCallId: `t${index}` })
    const helped = (count: number) =>
      runOf(
        many(count, (index) => [
          ...work(`t${index}`, 'ok'),
          ...say(`s${index}`, 'x', inner(index)),
        ]),
        [open('a', inner(0))],
      )
    const piece = { ...delta('a', 'x'), ...inner(0) }
    expect(workOf(helped(1), piece)).toBeLessThan(150)
    expect(workOf(helped(2000), piece)).toBeLessThan(300)
  })

  test('is the same whether a tool has printed little or much', () => {
    const printed = (pieces: number) =>
      runOf(
        [call('t')],
        many(pieces, () => [print('t', 'line\n')]),
      )
    const little = workOf(printed(10), print('t', 'x'))
    expect(workOf(printed(100_000), print('t', 'x'))).toBe(little)
  })
})

test('while a message streams, all others stay the same objects', () => {
  const before = runOf(say('a', 'x'), work('t', 'y'), [open('b')])
  const after = apply(before, delta('b', 'z'))
  const old = entriesOf(before)
  expect(entriesOf(after).map((entry, index) => entry === old[index])).toEqual([true, true, false])
  expect(after.running).toBe(before.running)
  expect(after.queued).toBe(before.queued)
  expect(after.approvals).toBe(before.approvals)
})

test('while a subagent speaks, the main conversation stays the same object', () => {
  const inner = { parentToolCallId: 't' }
  const before = runOf([call('t'), open('s', inner)])
  const after = apply(before, { ...delta('s', 'x'), ...inner })
  expect(threadOf(after)).toBe(threadOf(before))
  expect(threadOf(after, 't')).not.toBe(threadOf(before, 't'))
})

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
const heap = (): number => {
  collect()
  return process.memoryUsage().heapUsed
}

test('a text in flight takes the room that it would take whole, however small its pieces', () => {
  let transcript = runOf([open('a')])
  const before = heap()
  // Pieces as they come off a wire: each a string of its own.
  for (let index = 0; index < 200_000; index += 1)
    transcript = apply(transcript, JSON.parse(JSON.stringify(delta('a', `${index % 10}word`))))
  const grown = heap() - before
  const [block] = messageInFlight(transcript)?.message.content ?? []
  expect(block).toMatchObject({ type: 'text' })
  expect(grown).toBeLessThan(3_000_000)
  expect(JSON.stringify(block).length).toBeGreaterThan(1_000_000)
})
