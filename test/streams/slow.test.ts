import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { StampedEvent } from '../../src/events/types.ts'
import { delta } from '../transcript/events.ts'
import { openWorld, type World } from './open-streams.ts'
import { isStamped, type Reader, seqsOf } from './reader.ts'

/** A delta of about 2 KB. */
const long = (of: number) => delta('m', `${of} `.padEnd(2000, 'x'))

/** Publishes so many of them, some in each turn. */
const flood = async (
  write: Awaited<ReturnType<World['begin']>>,
  count: number,
): Promise<StampedEvent[]> => {
  const written: StampedEvent[] = []
  while (written.length < count) {
    written.push(...(await write(...Array.from({ length: 25 }, (_, index) => long(index)))))
    await turn()
  }
  return written
}

const stall = async (reader: Reader): Promise<void> => {
  await reader.next()
  reader.socket.pause()
}

test('one that never reads beside a hundred that do: nobody notices', async () => {
  const world = await openWorld({ ringBytes: 128 * 1024 })
  const write = await world.begin('s')
  const stalled = await world.read('s')
  await stall(stalled)
  const readers = await Promise.all(Array.from({ length: 100 }, () => world.read('s')))
  for (const reader of readers) await reader.next()
  const events = await flood(write, 2000)
  for (const reader of readers)
    expect(seqsOf(await reader.take(events.length))).toEqual(events.map(({ seq }) => seq))
  expect(seqsOf(stalled.frames).length).toBeLessThan(events.length)
  expect(world.feeds.figures()).toMatchObject({ clients: 101, behind: 1, cut: 0 })
})

test.each(['memory', 'sqlite'] as const)(
  'one that reads on after a stall has lost nothing: %s',
  async (log) => {
    const world = await openWorld({ log, ringBytes: 64 * 1024, budgetBytes: 64 * 1024 * 1024 })
    const write = await world.begin('s')
    const reader = await world.read('s')
    await stall(reader)
    const events = await flood(write, 5000)
    expect(world.feeds.figures()).toMatchObject({ behind: 1, cut: 0 })
    reader.socket.resume()
    expect((await reader.take(events.length)).map(({ event }) => event)).toEqual(events)
    const [last] = await write(long(0))
    expect((await reader.next()).event).toEqual(last)
    expect(world.feeds.figures()).toMatchObject({ behind: 0, lagBytes: 0 })
  },
)

test('one that falls too far behind is told, cut, and comes back with its cursor', async () => {
  const world = await openWorld({ budgetBytes: 1024 * 1024 })
  const write = await world.begin('s')
  const other = await world.read('s')
  await other.next()
  const slow = await world.read('s')
  await stall(slow)
  const events: StampedEvent[] = []
  while (world.feeds.figures().cut === 0) events.push(...(await flood(write, 100)))
  expect(world.feeds.figures()).toMatchObject({ clients: 1, behind: 0 })
  slow.socket.resume()
  await slow.ended
  const last = slow.frames.at(-1)?.event
  const seen = slow.frames.flatMap(({ event }) => (isStamped(event) ? [event] : []))
  expect(last).toEqual({ type: 'slow_consumer', after: seen.length })
  const back = await world.read('s', { lastEventId: `${seen.length}` })
  const [verdict, ...missed] = await back.take(1 + events.length - seen.length)
  expect(verdict?.event).toMatchObject({ verdict: 'ok' })
  expect([...seen, ...missed.map(({ event }) => event)]).toEqual(events)
  expect(seqsOf(await other.take(events.length))).toEqual(events.map(({ seq }) => seq))
})

test('one that is cut and does not even read the end is dropped', async () => {
  const world = await openWorld({ budgetBytes: 256 * 1024, graceMs: 50 })
  const write = await world.begin('s')
  const slow = await world.read('s')
  await stall(slow)
  while (world.feeds.figures().cut === 0) await flood(write, 100)
  slow.socket.resume()
  await once(slow.socket, 'close')
})

test('a long way to catch up is no debt', async () => {
  const world = await openWorld({ ringBytes: 64 * 1024, budgetBytes: 256 * 1024 })
  const write = await world.begin('s')
  const before = await flood(write, 2000)
  const reader = await world.read('s', { after: '0' })
  const after = await flood(write, 50)
  const [, ...missed] = await reader.take(1 + before.length + after.length)
  expect(seqsOf(missed)).toEqual([...before, ...after].map(({ seq }) => seq))
  expect(world.feeds.figures().cut).toBe(0)
})

test('a snapshot larger than the budget is no debt either', async () => {
  const world = await openWorld({ budgetBytes: 256 * 1024 })
  const write = await world.begin('s')
  const reader = await world.read('s')
  await reader.next()
  await write({ type: 'message_start', messageRole: 'assistant', messageId: 'm' })
  await flood(write, 1000)
  const late = await world.read('s')
  late.socket.pause()
  const rest = await flood(write, 100)
  late.socket.resume()
  const [snapshot, ...events] = await late.take(1 + rest.length)
  expect(snapshot?.event).toMatchObject({ type: 'snapshot', seq: 1001 })
  expect(seqsOf(events)).toEqual(rest.map(({ seq }) => seq))
})
