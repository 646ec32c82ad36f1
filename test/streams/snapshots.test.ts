import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { AgentEvent, StampedEvent } from '../../src/events/types.ts'
import { type Log, openMemoryLog } from '../../src/log/index.ts'
import { applyAll, emptyTranscript, fromSnapshot, toSnapshot } from '../../src/transcript/index.ts'
import { session } from '../log/samples.ts'
import { end, say, start, work } from '../transcript/events.ts'
import { openStreams, writerOf } from './open-streams.ts'
import { isStamped, type Reader } from './reader.ts'

/** A log that counts what is read of it. */
const counted = (log: Log) => {
  const count = { events: 0, reads: 0 }
  const watched: Log = {
    ...log,
    async *read(...asked) {
      count.reads += 1
      for await (const event of log.read(...asked)) {
        count.events += 1
        yield event
      }
    },
    async *readText(...asked) {
      for await (const page of log.readText(...asked)) {
        count.events += page.texts.length
        yield page
      }
    },
  }
  return { log: watched, count }
}

const run = (at: number): AgentEvent[] => [
  start,
  ...say(`m${at}`, `${at}`),
  ...work(`t${at}`, 'x'),
  end,
]

/** What a reader has in the end, whatever it was told first. */
const folded = async (reader: Reader, seq: number) => {
  const { event: first } = await reader.next()
  if (first.type !== 'snapshot') throw new Error(`${first.type} came first`)
  const rest: StampedEvent[] = []
  while ((rest.at(-1)?.seq ?? first.seq) < seq) {
    const { event } = await reader.next()
    if (isStamped(event)) rest.push(event)
  }
  return { first, whole: toSnapshot(applyAll(fromSnapshot(first), rest), { projectId: 'p' }) }
}

const wholeOf = (events: readonly StampedEvent[]): unknown =>
  JSON.parse(JSON.stringify(toSnapshot(applyAll(emptyTranscript(), events), { projectId: 'p' })))

/** A session as an earlier server left it; it was stopped in order, or it was not. */
const leftBehind = async (runs: number, isClosed: boolean) => {
  const log = await openMemoryLog()
  const server = await openStreams({ log })
  const write = await server.createSession('s')
  const events: StampedEvent[] = []
  for (let at = 0; at < runs; at += 1) {
    events.push(...(await write(...run(at))))
    await turn()
  }
  if (isClosed) await server.streams.close()
  return { ...counted(log), events }
}

test('a session that was left in order starts with what was stored, and nothing is read', async () => {
  const { log, count, events } = await leftBehind(100, true)
  const later = await openStreams({ log })
  const reader = await later.read('s')
  expect((await folded(reader, events.length)).whole).toEqual(wholeOf(events))
  expect(count).toEqual({ events: 0, reads: 0 })
})

test('a snapshot is stored when a run is over and much has happened', async () => {
  const { log, count, events } = await leftBehind(100, false)
  const stored = await log.snapshots.get('s')
  expect(stored?.seq).toBeGreaterThan(256)
  const later = await openStreams({ log })
  const reader = await later.read('s')
  expect((await folded(reader, events.length)).whole).toEqual(wholeOf(events))
  expect(count.events).toBeLessThanOrEqual(events.length - (stored?.seq ?? 0))
})

test('a stored snapshot with many events behind it is folded once for all who come', async () => {
  const { log, count, events } = await leftBehind(100, true)
  const write = writerOf(
    { log, streams: { ...(await openStreams()).streams, publish: () => {} } },
    's',
    events.length,
  )
  for (let at = 100; at < 200; at += 1) events.push(...(await write(...run(at))))
  const later = await openStreams({ log })
  const readers = await Promise.all(Array.from({ length: 20 }, () => later.read('s')))
  for (const reader of readers) {
    const { first, whole } = await folded(reader, events.length)
    expect(first.seq).toBe(events.length)
    expect(whole).toEqual(wholeOf(events))
  }
  expect(count.reads).toBe(1)
  expect(count.events).toBe(events.length / 2)
})

test('a session without a snapshot is folded from its first event', async () => {
  const log = await openMemoryLog()
  await log.sessions.create(session('s', { projectId: 'p' }))
  const write = writerOf(
    { log, streams: { ...(await openStreams()).streams, publish: () => {} } },
    's',
  )
  const events = await write(...run(1), ...run(2))
  const later = await openStreams({ log })
  expect((await folded(await later.read('s'), events.length)).whole).toEqual(wholeOf(events))
})

test.each(['', 'no heading', '{"version":0}\n{}'])(
  'a snapshot that cannot be read is passed over: %j',
  async (text) => {
    const { log, events } = await leftBehind(5, false)
    await log.snapshots.put('s', events.length, text)
    const later = await openStreams({ log })
    expect((await folded(await later.read('s'), events.length)).whole).toEqual(wholeOf(events))
  },
)

test('a cold session goes on where events come before anybody reads', async () => {
  const { log, events } = await leftBehind(50, true)
  const later = await openStreams({ log })
  const write = writerOf(later, 's', events.length)
  events.push(...(await write(...run(51))))
  const reader = await later.read('s')
  events.push(...(await write(...run(52))))
  expect((await folded(reader, events.length)).whole).toEqual(wholeOf(events))
  expect(await later.streams.snapshotOf('s')).toEqual(
    toSnapshot(applyAll(emptyTranscript(), events), { projectId: 'p' }),
  )
})

test('what nobody reads any more is let go, and found again', async () => {
  const server = await openStreams({ heartbeatMs: 3 })
  const write = await server.createSession('s')
  const events = await write(...run(1))
  expect(server.streams.summaryOf('s')).toMatchObject({ seq: events.length })
  while (server.streams.summaryOf('s')) await new Promise((resolve) => setImmediate(resolve))
  expect((await server.log.snapshots.get('s'))?.seq).toBe(events.length)
  events.push(...(await write(...run(2))))
  const reader = await server.read('s')
  events.push(...(await write(...run(3))))
  expect((await folded(reader, events.length)).whole).toEqual(wholeOf(events))
})

test('there is no snapshot of a session that does not exist', async () => {
  const server = await openStreams()
  await expect(server.streams.snapshotOf('nobody')).rejects.toMatchObject({
    code: 'unknown_session',
  })
})
