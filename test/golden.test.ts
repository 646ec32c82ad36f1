import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agentEvent } from '../src/events/event.ts'
import { checkOrder } from '../src/events/order.ts'
import { printEvents } from './support/print.ts'
import { cutAt, decodeChunks, recording, recordings } from './support/recordings.ts'

const goldenOf = (name: string) => new URL(`goldens/${name}.txt`, import.meta.url).pathname

describe.each(recordings.map((each) => [each.name, each] as const))(
  '%s',
  (name, { agent, bytes }) => {
    const whole = bytes()
    const events = decodeChunks(agent, [whole])

    test('decodes to its golden', async () => {
      await expect(printEvents(events)).toMatchFileSnapshot(goldenOf(name))
    })

    test('keeps the order that is promised', () => {
      expect(checkOrder(events)).toEqual([])
    })

    test('gives valid events', () => {
      for (const event of events)
        expect(agentEvent.safeParse(event).error?.issues ?? []).toEqual([])
    })

    test('is the same in random chunks, with and without shortcuts', () => {
      const wanted = JSON.stringify(events)
      const places = fc.array(fc.nat(whole.length), { maxLength: 40 })
      const check = (cuts: number[], shortcut: boolean) =>
        JSON.stringify(decodeChunks(agent, cutAt(whole, cuts), { shortcut })) === wanted
      fc.assert(fc.property(places, fc.boolean(), check), {
        numRuns: whole.length > 200_000 ? 4 : 12,
      })
    })
  },
)

// Small enough to cut everywhere, and with everything in them that a cut can hurt.
const sample = [
  'pi/0.73.1/sdk-unicode',
  'pi/1.5.0/sdk-unicode',
  'pi/0.87.1/retry-midstream',
  'claude/2.0.77/unicode',
  'claude/2.1.325/partial-streamdie',
]

test.each(sample)('%s: cut at every byte, the events are the same', (name) => {
  const { agent, bytes } = recording(name)
  const head = bytes().subarray(0, 24_000)
  const wanted = JSON.stringify(decodeChunks(agent, [head]))
  for (let at = 0; at <= head.length; at += 1) {
    const events = decodeChunks(agent, [head.subarray(0, at), head.subarray(at)])
    if (JSON.stringify(events) !== wanted) expect.unreachable(`differs when cut at byte ${at}`)
  }
})

/** Pieces of the bytes, one after the other in the same buffer, as a reader of a pipe has them. */
const reusing = function* (pieces: Iterable<Buffer>, size: number): Generator<Buffer> {
  const buffer = Buffer.alloc(size)
  for (const piece of pieces) yield buffer.subarray(0, piece.copy(buffer))
}

const inLines = function* (whole: Buffer): Generator<Buffer> {
  for (let at = 0; at < whole.length; ) {
    const end = whole.indexOf(10, at) + 1 || whole.length
    yield whole.subarray(at, end)
    at = end
  }
}

const inBlocks = function* (whole: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size)
}

test.each(sample)('%s: the reader may use its buffer again after each push', (name) => {
  const { agent, bytes } = recording(name)
  const whole = bytes()
  const wanted = decodeChunks(agent, [whole])
  expect(decodeChunks(agent, reusing(inLines(whole), whole.length))).toEqual(wanted)
  expect(decodeChunks(agent, reusing(inBlocks(whole, 997), 997))).toEqual(wanted)
})
