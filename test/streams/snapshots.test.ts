import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { AgentEvent, StampedEvent } from '../../src/events/types.ts'
import { type Log, openMemoryLog } from '../../src/log/index.ts'
import {
  applyEvents,
  emptyTranscript,
  entriesOf,
  fromSnapshot,
  toSnapshot,
} from '../../src/transcript/index.ts'
import { session } from '../log/samples.ts'
import { end, start, wholeMessage, wholeTool } from '../transcript/events.ts'
import { openStreams, writerOf } from './open-streams.ts'
import { cursorAfter, isStamped, type Reader } from './reader.ts'

/** A log that counts how much is read from it. */
const countReads = (log: Log) => {
  const count = { events: 0, reads: 0 }
  const counting: Log = {
    ...log,
    async *readText(...args) {
      count.reads += 1
      for await (const page of log.readText(...args)) {
        count.events += page.texts.length
        yield page
      }
    },
  }
  return { log: counting, count }
}

const run = (at: number): AgentEvent[] => [
  start,
  ...wholeMessage(`m${at}`, `${at}`),
  ...wholeTool(`t${at}`, 'x'),
  end,
]

/** What a reader has after the event `seq`, whichever snapshot it began with. */
const folded = async (reader: Reader, seq: number) => {
  const { event: first } = await reader.next()
  if (first.type !== 'snapshot') throw new Error(`${first.type} was sent first`)
  const rest: StampedEvent[] = []
  while ((rest.at(-1)?.seq ?? first.seq) < seq) {
    const { event } = await reader.next()
    if (isStamped(event)) rest.push(event)
  }
  return { first, whole: toSnapshot(applyEvents(fromSnapshot(first), rest), { projectId: 'p' }) }
}

const wholeOf = (events: readonly StampedEvent[]): unknown =>
  JSON.parse(JSON.stringify(toSnapshot(applyEvents(emptyTranscript(), events), { projectId: 'p' })))

/** A session as an earlier server left it: closed, or as after a crash. */
const earlierSession = async (runs: number, isClosed: boolean) => {
  const log = await openMemoryLog()
  const server = await openStreams({ log })
  const write = await server.createSession('s')
  const events: StampedEvent[] = []
  for (let at = 0; at < runs; at += 1) {
    events.push(...(await write(...run(at))))
    await turn()
  }
  if (isClosed) await server.streams.close()
  return { ...countReads(log), events }
}

test('after a proper close, a stream starts with the stored snapshot alone', async () => {
  const { log, count, events } = await earlierSession(100, true)
  const later = await openStreams({ log })
  const reader = await later.read('s')
  expect((await folded(reader, events.length)).whole).toEqual(wholeOf(events))
  expect(count).toEqual({ events: 0, reads: 0 })
})

test('a snapshot is stored when a run ends after many events', async () => {
  const { log, count, events } = await earlierSession(100, false)
  const stored = await log.snapshots.get('s')
  expect(stored?.seq).toBeGreaterThan(256)
  const later = await openStreams({ log })
  const reader = await later.read('s')
  expect((await folded(reader, events.length)).whole).toEqual(wholeOf(events))
  expect(count.events).toBeLessThanOrEqual(events.length - (stored?.seq ?? 0))
})

test('many events after a stored snapshot are folded once for all readers', async () => {
  const { log, count, events } = await earlierSession(100, true)
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

test('a session without a stored snapshot is folded from its first event', async () => {
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
  'an unreadable stored snapshot is ignored: %j',
  async (text) => {
    const { log, events } = await earlierSession(5, false)
    await log.snapshots.put('s', events.length, text)
    const later = await openStreams({ log })
    expect((await folded(await later.read('s'), events.length)).whole).toEqual(wholeOf(events))
  },
)

test('a session that is not in memory continues when events come before a reader', async () => {
  const { log, events } = await earlierSession(50, true)
  const later = await openStreams({ log })
  const write = writerOf(later, 's', events.length)
  events.push(...(await write(...run(51))))
  const reader = await later.read('s')
  events.push(...(await write(...run(52))))
  expect((await folded(reader, events.length)).whole).toEqual(wholeOf(events))
  expect(await later.streams.snapshotOf('s')).toEqual(
    toSnapshot(applyEvents(emptyTranscript(), events), {
      projectId: 'p',
      cursor: cursorAfter(events),
    }),
  )
})

test('a feed that nobody uses is dropped, and loaded again', async () => {
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

test('a session that does not exist has no snapshot', async () => {
  const server = await openStreams()
  await expect(server.streams.snapshotOf('nobody')).rejects.toMatchObject({
    code: 'unknown_session',
  })
})

test.each(['live', 'after a restart', 'without a stored snapshot'] as const)(
  'of a session that is too long, the snapshot has the latest entries: %s',
  async (when) => {
    const log = await openMemoryLog()
    const first = await openStreams({ log, snapshotChars: 20_000 })
    const write = await first.createSession('s')
    const events: StampedEvent[] = []
    const runs = Array.from({ length: 300 }, (_, at) => run(at))
    for (const each of runs) events.push(...(await write(...each)))
    if (when === 'after a restart') await first.streams.close()
    const server = when === 'live' ? first : await openStreams({ log, snapshotChars: 20_000 })

    const reader = await server.read('s')
    const { id, event: snapshot } = await reader.next()
    if (snapshot.type !== 'snapshot') throw new Error(`${snapshot.type} was sent first`)
    expect(id).toBe(cursorAfter(events))
    expect(JSON.stringify(snapshot).length).toBeLessThan(25_000)
    const whole = applyEvents(emptyTranscript(), events)
    const { omitted = 0, messages } = snapshot
    expect(omitted).toBeGreaterThan(100)
    expect(omitted + messages.length).toBe(entriesOf(whole).length)
    expect(messages).toEqual(toSnapshot(whole, { projectId: 'p' }).messages.slice(-messages.length))
    expect(await server.streams.snapshotOf('s')).toEqual(snapshot)
  },
)
