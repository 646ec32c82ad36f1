import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { StampedEvent } from '../../src/events/types.ts'
import { delta } from '../transcript/events.ts'
import { openStreams, type StreamServer } from './open-streams.ts'
import { isStamped, type Reader, seqsOf } from './reader.ts'

/** A delta of about 2 KB. */
const long = (number: number) => delta('m', `${number} `.padEnd(2000, 'x'))

/** Publishes that many long deltas, 25 in each turn. */
const flood = async (
  write: Awaited<ReturnType<StreamServer['createSession']>>,
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

test('a reader that never reads does not disturb a hundred that do', async () => {
  const server = await openStreams({ ringBytes: 128 * 1024 })
  const write = await server.createSession('s')
  const stalled = await server.read('s')
  await stall(stalled)
  const readers = await Promise.all(Array.from({ length: 100 }, () => server.read('s')))
  for (const reader of readers) await reader.next()
  const events = await flood(write, 2000)
  for (const reader of readers)
    expect(seqsOf(await reader.nextMany(events.length))).toEqual(events.map(({ seq }) => seq))
  expect(seqsOf(stalled.frames).length).toBeLessThan(events.length)
  expect(server.streams.figures()).toMatchObject({ clients: 101, behind: 1, cut: 0 })
})

test.each(['memory', 'sqlite'] as const)(
  'a reader that continues after a stall has lost nothing: %s',
  async (log) => {
    const server = await openStreams({ log, ringBytes: 64 * 1024, budgetBytes: 64 * 1024 * 1024 })
    const write = await server.createSession('s')
    const reader = await server.read('s')
    await stall(reader)
    const events = await flood(write, 5000)
    expect(server.streams.figures()).toMatchObject({ behind: 1, cut: 0 })
    reader.socket.resume()
    expect((await reader.nextMany(events.length)).map(({ event }) => event)).toEqual(events)
    const [last] = await write(long(0))
    expect((await reader.next()).event).toEqual(last)
    expect(server.streams.figures()).toMatchObject({ behind: 0, lagBytes: 0 })
  },
)

test('a reader that falls too far behind gets a notice, is disconnected, and resumes', async () => {
  const server = await openStreams({ budgetBytes: 1024 * 1024 })
  const write = await server.createSession('s')
  const other = await server.read('s')
  await other.next()
  const slow = await server.read('s')
  await stall(slow)
  const events: StampedEvent[] = []
  while (server.streams.figures().cut === 0) events.push(...(await flood(write, 100)))
  expect(server.streams.figures()).toMatchObject({ clients: 1, behind: 0 })
  slow.socket.resume()
  await slow.ended
  const last = slow.frames.at(-1)?.event
  const seen = slow.frames.flatMap(({ event }) => (isStamped(event) ? [event] : []))
  expect(last).toEqual({ type: 'slow_consumer', after: seen.length })
  const back = await server.read('s', { lastEventId: `${seen.length}` })
  const [verdict, ...missed] = await back.nextMany(1 + events.length - seen.length)
  expect(verdict?.event).toMatchObject({ verdict: 'ok' })
  expect([...seen, ...missed.map(({ event }) => event)]).toEqual(events)
  expect(seqsOf(await other.nextMany(events.length))).toEqual(events.map(({ seq }) => seq))
})

test('a disconnected reader that does not read the end is dropped', async () => {
  const server = await openStreams({ budgetBytes: 256 * 1024, graceMs: 50 })
  const write = await server.createSession('s')
  const slow = await server.read('s')
  await stall(slow)
  while (server.streams.figures().cut === 0) await flood(write, 100)
  slow.socket.resume()
  await once(slow.socket, 'close')
})

test('catching up does not count as lag', async () => {
  const server = await openStreams({ ringBytes: 64 * 1024, budgetBytes: 256 * 1024 })
  const write = await server.createSession('s')
  const before = await flood(write, 2000)
  const reader = await server.read('s', { after: '0' })
  const after = await flood(write, 50)
  const [, ...missed] = await reader.nextMany(1 + before.length + after.length)
  expect(seqsOf(missed)).toEqual([...before, ...after].map(({ seq }) => seq))
  expect(server.streams.figures().cut).toBe(0)
})

test('a snapshot larger than the budget does not count as lag', async () => {
  const server = await openStreams({ budgetBytes: 256 * 1024 })
  const write = await server.createSession('s')
  const reader = await server.read('s')
  await reader.next()
  await write({ type: 'message_start', messageRole: 'assistant', messageId: 'm' })
  await flood(write, 1000)
  const late = await server.read('s')
  late.socket.pause()
  const rest = await flood(write, 100)
  late.socket.resume()
  const [snapshot, ...events] = await late.nextMany(1 + rest.length)
  expect(snapshot?.event).toMatchObject({ type: 'snapshot', seq: 1001 })
  expect(seqsOf(events)).toEqual(rest.map(({ seq }) => seq))
})
