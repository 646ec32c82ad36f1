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

    test('has no violations of the order', () => {
      expect(checkOrder(events)).toEqual([])
    })

    test('has only valid events', () => {
      for (const event of events)
        expect(agentEvent.safeParse(event).error?.issues ?? []).toEqual([])
    })

    test('does not depend on the chunks, or on the shortcut', () => {
      const expected = JSON.stringify(events)
      const cutPositions = fc.array(fc.nat(whole.length), { maxLength: 40 })
      const check = (cuts: number[], shortcut: boolean) =>
        JSON.stringify(decodeChunks(agent, cutAt(whole, cuts), { shortcut })) === expected
      fc.assert(fc.property(cutPositions, fc.boolean(), check), {
        numRuns: whole.length > 200_000 ? 4 : 12,
      })
    })
  },
)

// Small enough to be cut at every byte, and with all content that a cut can damage.
const sample = [
  'pi/0.73.1/sdk-unicode',
  'pi/1.5.0/sdk-unicode',
  'pi/0.87.1/retry-midstream',
  'claude/2.0.77/unicode',
  'claude/2.1.325/partial-streamdie',
  'copilot/1.0.102/unicode',
  'cline/3.0.65/unicode',
]

test.each(sample)('%s: has the same events when cut at any byte', (name) => {
  const { agent, bytes } = recording(name)
  const head = bytes().subarray(0, 18_000)
  const expected = JSON.stringify(decodeChunks(agent, [head]))
  for (let at = 0; at <= head.length; at += 1) {
    const events = decodeChunks(agent, [head.subarray(0, at), head.subarray(at)])
    if (JSON.stringify(events) !== expected) expect.unreachable(`differs when cut at byte ${at}`)
  }
})

/** The chunks, each copied into the same buffer, as when reading from a pipe. */
const reusing = function* (chunks: Iterable<Buffer>, size: number): Generator<Buffer> {
  const buffer = Buffer.alloc(size)
  for (const chunk of chunks) yield buffer.subarray(0, chunk.copy(buffer))
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

test.each(sample)('%s: the caller can reuse its buffer after each push', (name) => {
  const { agent, bytes } = recording(name)
  const whole = bytes()
  const expected = decodeChunks(agent, [whole])
  expect(decodeChunks(agent, reusing(inLines(whole), whole.length))).toEqual(expected)
  expect(decodeChunks(agent, reusing(inBlocks(whole, 997), 997))).toEqual(expected)
})
