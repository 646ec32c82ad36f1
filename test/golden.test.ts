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

test.each(sample)('%s: the reader may overwrite its buffer after each push', (name) => {
  const { agent, bytes } = recording(name)
  const whole = bytes()
  const buffer = Buffer.alloc(997)
  const reused = function* () {
    for (let at = 0; at < whole.length; at += buffer.length) {
      const size = whole.copy(buffer, 0, at, at + buffer.length)
      yield buffer.subarray(0, size)
      buffer.fill(0x7b)
    }
  }
  expect(JSON.stringify(decodeChunks(agent, reused()))).toBe(
    JSON.stringify(decodeChunks(agent, [whole])),
  )
})
