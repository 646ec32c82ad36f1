import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { formatEventCursor } from '../../src/api/cursors.ts'
import { checksumOf } from '../../src/log/checksum.ts'
import { openSqliteLog } from '../../src/log/index.ts'
import { session, temporaryDirectory } from '../log/samples.ts'
import { delta, end, open, start, wholeMessage } from '../transcript/events.ts'
import { openStreams, type StreamServer, writerOf } from './open-streams.ts'
import { cursorAfter, type Frame, isStamped } from './reader.ts'

/** A server over a data directory, as after a restart. `stop` ends it before the test is over. */
const openDirectory = async (directory: string) => {
  const log = await openSqliteLog(directory, { synchronous: 'NORMAL' })
  const server = await openStreams({ log })
  const stop = async () => {
    await server.streams.close()
    await log.close()
  }
  onTestFinished(stop)
  return { ...server, stop }
}

const stamped = (frames: readonly Frame[]) => frames.map(({ event }) => event).filter(isStamped)

/** The verdict and the snapshot that a reader with a cursor gets, over both kinds of streams. */
const startsOf = async (server: StreamServer, cursor: string) => {
  const one = await server.read('s', { lastEventId: cursor })
  const many = await server.readMany(['s'], { lastEventId: `s:${cursor}` })
  await many.next()
  return [await one.nextMany(2), await many.nextMany(2)].map((frames) =>
    frames.map(({ id, event }) => ({ id, event })),
  )
}

const gap = (seq: number) => expect.objectContaining({ type: 'resume', verdict: 'gap', after: seq })
const snapshotOf = (seq: number) => expect.objectContaining({ type: 'snapshot', seq })

test('after an older copy is restored, an old cursor gets a gap, also when the session grows past it', async () => {
  const [directory, copy] = [temporaryDirectory('cursors'), temporaryDirectory('cursors')]
  const first = await openDirectory(directory)
  const write = await first.createSession('s')
  const kept = await write(start, ...wholeMessage('m1', 'Kept.'))
  await first.stop()
  cpSync(directory, copy, { recursive: true })

  const second = await openDirectory(directory)
  const lost = await writerOf(second, 's', kept.length)(...wholeMessage('m2', 'Lost.'), end)
  const reader = await second.read('s', { after: cursorAfter(kept) })
  const seen = await reader.nextMany(1 + lost.length)
  expect(stamped(seen)).toEqual(lost)
  const cursor = seen.at(-1)?.id ?? ''
  expect(cursor).toBe(cursorAfter(lost))
  await second.stop()
  rmSync(directory, { recursive: true })
  cpSync(copy, directory, { recursive: true })

  const third = await openDirectory(directory)
  const seq = kept.length + lost.length
  for (const frames of await startsOf(third, cursor))
    expect(frames.map(({ event }) => event)).toEqual([gap(seq), snapshotOf(kept.length)])

  // The session gets as many events as before, and more. They are others.
  const writeOther = writerOf(third, 's', kept.length, 5000)
  const others = [
    ...(await writeOther(...wholeMessage('m3', 'Other.'), end)),
    ...(await writeOther(start, ...wholeMessage('m4', 'More.'))),
  ]
  for (const frames of await startsOf(third, cursor))
    expect(frames.map(({ event }) => event)).toEqual([
      gap(seq),
      snapshotOf(others.at(-1)?.seq ?? 0),
    ])
  // A cursor from before the copy is still good.
  const resumed = await third.read('s', { lastEventId: cursorAfter(kept) })
  expect(stamped(await resumed.nextMany(1 + others.length))).toEqual(others)
})

test('the stored snapshot of another log is not used', async () => {
  const directory = temporaryDirectory('cursors')
  const first = await openDirectory(directory)
  const before = await (await first.createSession('s'))(start, ...wholeMessage('m1', 'One.'), end)
  await first.streams.snapshotOf('s')
  await first.stop() // stores the snapshot
  const database = new DatabaseSync(join(directory, 'sluice.db'))
  database
    .prepare('UPDATE events SET text = replace(text, ?, ?), checksum = NULL')
    .run('One.', 'Two.')
  database.prepare('UPDATE events SET text = text || ? WHERE seq = ?').run(' ', before.length)
  database.close()
  const second = await openDirectory(directory)
  const reader = await second.read('s')
  expect(JSON.stringify((await reader.next()).event)).toContain('Two.')
})

test('a new session with the id of a removed one gives old cursors a gap', async () => {
  const server = await openStreams()
  const write = await server.createSession('s')
  const old = await write(start, ...wholeMessage('m', 'Old.'))
  await server.log.sessions.remove('s')
  server.streams.publishLifecycle({ type: 'session_removed', sessionId: 's' })
  await server.log.sessions.create(session('s'))
  for (const frames of await startsOf(server, cursorAfter(old)))
    expect(frames.map(({ event }) => event)).toEqual([gap(old.length), snapshotOf(0)])
  const fresh = await writerOf(server, 's')(...wholeMessage('n', 'New.'), start, end)
  expect(fresh.length).toBeGreaterThan(old.length)
  for (const frames of await startsOf(server, cursorAfter(old)))
    expect(frames.map(({ event }) => event)).toEqual([gap(old.length), snapshotOf(fresh.length)])
  // Who has seen nothing yet continues with the first event.
  const reader = await server.read('s', { lastEventId: '0' })
  expect(stamped(await reader.nextMany(1 + fresh.length))).toEqual(fresh)
})

test('events of an older version, which have no checksum, have the same cursors', async () => {
  const directory = temporaryDirectory('cursors')
  const first = await openDirectory(directory)
  const events = await (await first.createSession('s'))(start, open('m'), delta('m', 'ü🙂\ud83d'))
  await first.stop()
  const database = new DatabaseSync(join(directory, 'sluice.db'))
  database.exec('UPDATE events SET checksum = NULL')
  database.close()
  const second = await openDirectory(directory)
  for (const [at, event] of events.entries()) {
    const reader = await second.read('s', { lastEventId: cursorAfter([event]) })
    const frames = await reader.nextMany(events.length - at)
    expect(frames[0]?.event).toEqual({ type: 'resume', verdict: 'ok', after: event.seq })
    expect(stamped(frames)).toEqual(events.slice(at + 1))
    expect(frames.slice(1).map(({ id }) => id)).toEqual(
      events.slice(at + 1).map((each) => cursorAfter([each])),
    )
  }
})

test('every event has the same id from the ring, from the log, and in a page of the snapshot', async () => {
  const server = await openStreams({ log: 'sqlite', ringBytes: 4096 })
  const write = await server.createSession('s')
  const live = await server.read('s')
  await live.next()
  const events = await write(...Array.from({ length: 200 }, (_, at) => delta('m', `ä${at}`)))
  const ids = events.map((event) => cursorAfter([event]))
  expect((await live.nextMany(200)).map(({ id }) => id)).toEqual(ids)
  const late = await server.read('s', { after: '0' })
  expect((await late.nextMany(201)).slice(1).map(({ id }) => id)).toEqual(ids)
  const { id, event } = await (await server.read('s')).next()
  expect([id, event]).toEqual([ids.at(-1), expect.objectContaining({ cursor: ids.at(-1) })])
})

test.each([
  'x',
  '-1',
  '1.5',
  '1e3',
  '1-',
  '1-12345',
  '1-GGGGGGGG',
  '1-000000000',
  '0-00000000',
  '99999999999999999999',
  '1'.repeat(10_000),
  `1-${'a'.repeat(10_000)}`,
  'a:1',
])('a text that is not a cursor gets a gap and a snapshot: %#', async (cursor) => {
  const server = await openStreams()
  const events = await (await server.createSession('s'))(start)
  const reader = await server.read('s', { lastEventId: cursor })
  const [verdict, snapshot] = await reader.nextMany(2)
  expect(verdict?.event).toMatchObject({ type: 'resume', verdict: 'gap', after: 0 })
  expect(snapshot).toMatchObject({ id: cursorAfter(events), event: { type: 'snapshot', seq: 1 } })
})

test('a cursor of another session, or of another content, gets a gap; a bare seq is not checked', async () => {
  const server = await openStreams()
  const own = await (await server.createSession('s'))(start, end)
  const others = await (await server.createSession('t'))(start, end)
  const wrong = formatEventCursor(1, checksumOf('something else'))
  for (const cursor of [cursorAfter(others.slice(0, 1)), wrong])
    for (const frames of await startsOf(server, cursor))
      expect(frames.map(({ event }) => event)).toEqual([gap(1), snapshotOf(2)])
  for (const cursor of ['1', cursorAfter(own.slice(0, 1))])
    for (const frames of await startsOf(server, cursor)) {
      expect(frames[0]?.event).toMatchObject({ type: 'resume', verdict: 'ok', after: 1 })
      expect(frames[1]?.event).toEqual(own[1])
    }
})
