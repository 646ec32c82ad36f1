import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { overviewEvent } from '../../src/api/overview.ts'
import type { ManyEvent } from '../../src/client/stream-events.ts'
import { approval, session } from '../log/samples.ts'
import { delta, end, start, usage, wholeMessage } from '../transcript/events.ts'
import { openStreams } from './open-streams.ts'
import { cursorAfter, type Frame, isStamped, type Reader } from './reader.ts'

/** Reads on until an event matches. */
const find = async (reader: Reader, matches: (event: ManyEvent) => boolean): Promise<ManyEvent> => {
  for (;;) {
    const { event } = await reader.next()
    if (matches(event)) return event
  }
}

const seqsOfSession = (frames: readonly Frame[], id: string): number[] =>
  frames.flatMap(({ event }) => (isStamped(event) && event.sessionId === id ? [event.seq] : []))

test('sends an overview, then snapshots of the named sessions, then their events', async () => {
  const server = await openStreams()
  const [writeA, writeB] = [await server.createSession('a'), await server.createSession('b')]
  await server.createSession('c')
  const before = await writeA(start, ...wholeMessage('m', 'Hi.'), usage(7, 0.5), end)
  await server.log.approvals.put(approval('q', 'c'))
  const reader = await server.readMany(['a', 'b'])
  const [overview, a, b] = await reader.nextMany(3)
  expect(overviewEvent.parse(overview?.event)).toMatchObject({
    type: 'overview',
    sessions: [{ id: 'c' }, { id: 'b' }, { id: 'a', activity: { kind: 'idle' } }],
    approvals: [{ approvalId: 'q', sessionId: 'c', toolName: 'bash' }],
    totals: { sessions: 3, running: 0, approvals: 1, usage: { input: 7, costUsd: 0.5 } },
  })
  expect(a?.event).toMatchObject({ type: 'snapshot', sessionId: 'a', seq: before.length })
  expect(b?.event).toMatchObject({ type: 'snapshot', sessionId: 'b', seq: 0 })
  expect(a?.id).toBe(`a:${cursorAfter(before)}`)
  expect(b?.id).toBe(`a:${cursorAfter(before)},b:0`)

  const firstB = await writeB(start)
  const nextA = await writeA(start)
  const nextB = await writeB(end)
  const seen = await reader.nextMany(3)
  const after = [...firstB, ...nextA, ...nextB]
  expect(seen.map(({ event }) => event)).toEqual(expect.arrayContaining(after))
  expect(seen.at(-1)?.id).toBe(`a:${cursorAfter(nextA)},b:${cursorAfter(nextB)}`)
})

test('an overview begins with the sessions that wait, work or failed, then by activity', async () => {
  const server = await openStreams()
  const create = async (id: string, lastActivity: number) => {
    const write = await server.createSession(id)
    await server.log.sessions.update(id, { lastActivity })
    return write
  }
  await create('idle', 500)
  const failed = await create('failed', 100)
  await failed(start, { type: 'agent_end', stopReason: 'error' })
  await create('working', 100)
  await server.log.sessions.update('working', { state: 'running' })
  await create('older', 200)
  const reader = await server.readMany([])
  const { event } = await reader.next()
  if (event.type !== 'overview') throw new Error(`a ${event.type} came first`)
  expect(event.sessions.map(({ id }) => id)).toEqual(['working', 'failed', 'idle', 'older'])
})

test('cursors resume each session; a session without one gets a snapshot', async () => {
  const server = await openStreams()
  const [writeA, writeB] = [await server.createSession('a'), await server.createSession('b')]
  await server.createSession('c')
  const a = await writeA(start, ...wholeMessage('m', 'x'), end)
  const b = await writeB(start)
  const reader = await server.readMany(['a', 'b', 'c'], { lastEventId: 'a:1,b:9' })
  const frames = await reader.nextMany(1 + 1 + 2 + 1 + a.length - 1)
  const events = frames.map(({ event }) => event)
  expect(events[1]).toEqual({ type: 'resume', verdict: 'ok', after: 1, sessionId: 'a' })
  expect(events[2]).toEqual({ type: 'resume', verdict: 'gap', after: 9, sessionId: 'b' })
  expect(events[3]).toMatchObject({ type: 'snapshot', sessionId: 'b', seq: b.length })
  expect(events[4]).toMatchObject({ type: 'snapshot', sessionId: 'c', seq: 0 })
  expect(events.slice(5)).toEqual(a.slice(1))
  expect(frames.at(-1)?.id).toBe(`a:${cursorAfter(a)},b:${cursorAfter(b)},c:0`)
})

test.each(['17', 'a', 'a:x', 'a:1,,'])('unreadable cursors get snapshots: %s', async (cursor) => {
  const server = await openStreams()
  await server.createSession('a')
  const reader = await server.readMany(['a'], { after: cursor })
  const events = (await reader.nextMany(3)).map(({ event }) => event)
  expect(events[1]).toEqual({ type: 'resume', verdict: 'gap', after: 0, sessionId: 'a' })
  expect(events[2]).toMatchObject({ type: 'snapshot', sessionId: 'a' })
})

test('clients learn of sessions that begin, change, need approval or are removed', async () => {
  const server = await openStreams()
  const write = await server.createSession('a')
  const reader = await server.readMany([])
  await reader.next()
  const record = session('b', { createdAt: 2000 })
  await server.log.sessions.create(record)
  server.streams.publishLifecycle({ type: 'session_created', session: record })
  expect(await find(reader, ({ type }) => type === 'session_created')).toMatchObject({
    session: { id: 'b' },
  })

  await write(start, usage(5, 1))
  expect(
    await find(reader, (event) => event.type === 'session_updated' && event.session.id === 'a'),
  ).toMatchObject({ session: { activity: { kind: 'thinking' }, usage: { input: 5 } } })
  expect(await find(reader, ({ type }) => type === 'totals')).toMatchObject({
    totals: { usage: { input: 5, costUsd: 1 } },
  })

  const [requested] = await write({
    type: 'approval_request',
    kind: 'tool',
    approvalId: 'q',
    toolName: 'bash',
  })
  expect(await find(reader, ({ type }) => type === 'approval_request')).toEqual(requested)
  const [resolved] = await write({
    type: 'approval_resolved',
    approvalId: 'q',
    action: 'deny',
    outcome: 'answered',
  })
  expect(await find(reader, ({ type }) => type === 'approval_resolved')).toEqual(resolved)

  server.streams.publishLifecycle({ type: 'session_updated', session: { ...record, name: 'New' } })
  expect(
    await find(reader, (event) => event.type === 'session_updated' && event.session.id === 'b'),
  ).toMatchObject({ session: { name: 'New' } })

  server.streams.publishLifecycle({ type: 'session_removed', sessionId: 'b' })
  expect(await find(reader, ({ type }) => type === 'session_removed')).toEqual({
    type: 'session_removed',
    sessionId: 'b',
  })
  expect(reader.frames.some(({ event }) => event.type === 'agent_start')).toBe(false)
})

test('a restored session is sent as a created one', async () => {
  const server = await openStreams()
  const write = await server.createSession('a')
  await write(start, usage(5, 1), end)
  const record = session('a', { projectId: 'p' })
  const reader = await server.readMany([])
  await reader.next()
  server.streams.publishLifecycle({ type: 'session_removed', sessionId: 'a' })
  await find(reader, (event) => event.type === 'totals' && event.totals.sessions === 0)
  // What the agent of a removed session still does is sent to nobody.
  server.streams.publishLifecycle({ type: 'session_updated', session: { ...record, removedAt: 1 } })
  server.streams.publishLifecycle({ type: 'session_updated', session: record })
  const restored = await find(reader, ({ type }) => type === 'session_created')
  expect(restored).toMatchObject({ session: { id: 'a' } })
  expect(restored).not.toHaveProperty('session.removedAt')
  expect(await find(reader, ({ type }) => type === 'session_updated')).toMatchObject({
    session: { id: 'a', usage: { input: 5 } },
  })
  expect(await find(reader, ({ type }) => type === 'totals')).toMatchObject({
    totals: { sessions: 1, usage: { input: 5 } },
  })
})

test('an approval request of a named session is sent once, among its events', async () => {
  const server = await openStreams()
  const write = await server.createSession('a')
  const reader = await server.readMany(['a'])
  await reader.nextMany(2)
  await write({ type: 'approval_request', kind: 'tool', approvalId: 'q' }, start)
  await find(reader, ({ type }) => type === 'agent_start')
  await find(reader, ({ type }) => type === 'session_updated')
  expect(reader.frames.filter(({ event }) => event.type === 'approval_request')).toHaveLength(1)
})

test('a named session that is removed leaves the stream; the others continue', async () => {
  const server = await openStreams()
  await server.createSession('a')
  const write = await server.createSession('b')
  const reader = await server.readMany(['a', 'b'])
  await reader.nextMany(3)
  server.streams.publishLifecycle({ type: 'session_removed', sessionId: 'a' })
  const events = await write(start)
  await find(reader, ({ type }) => type === 'agent_start')
  const frame = reader.frames.find(({ event }) => event.type === 'agent_start')
  expect(frame?.id).toBe(`b:${cursorAfter(events)}`)
})

test('a client that stalls loses nothing; one that stalls too long is disconnected', async () => {
  const server = await openStreams({ ringBytes: 64 * 1024, budgetBytes: 16 * 1024 * 1024 })
  const [writeA, writeB] = [await server.createSession('a'), await server.createSession('b')]
  const long = Array.from({ length: 50 }, () => delta('m', 'x'.repeat(2000)))
  const reader = await server.readMany(['a', 'b'])
  await reader.nextMany(3)
  reader.socket.pause()
  for (let at = 0; at < 60; at += 1) {
    await Promise.all([writeA(...long), writeB(...long)])
    await turn()
  }
  expect(server.streams.figures()).toMatchObject({ behind: 2, cut: 0 })
  reader.socket.resume()
  const isAtEnd = (id = '') => /^a:3000-\w+,b:3000-\w+$/.test(id)
  while (!isAtEnd(reader.frames.at(-1)?.id)) await reader.next()
  const seqs = Array.from({ length: 3000 }, (_, at) => at + 1)
  expect(seqsOfSession(reader.frames, 'a')).toEqual(seqs)
  expect(seqsOfSession(reader.frames, 'b')).toEqual(seqs)

  reader.socket.pause()
  while (server.streams.figures().cut === 0) {
    await writeA(...long)
    await turn()
  }
  reader.socket.resume()
  await reader.ended
  expect(reader.frames.at(-1)?.event).toEqual({ type: 'slow_consumer' })
})

test('catching up on many sessions does not count as lag', async () => {
  const server = await openStreams()
  const ids = Array.from({ length: 40 }, (_, at) => `s${at}`)
  const long = Array.from({ length: 200 }, () => delta('m', 'x'.repeat(2000)))
  for (const id of ids) await (await server.createSession(id))(...long)
  const reader = await server.readMany(ids, { after: ids.map((id) => `${id}:0`).join(',') })
  reader.socket.pause()
  while (server.streams.figures().behind < ids.length) await turn()
  for (let at = 0; at < 10; at += 1) await turn()
  reader.socket.resume()
  const last = new RegExp(`^${ids.map((id) => `${id}:${long.length}-\\w+`).join(',')}$`)
  while (!last.test(reader.frames.at(-1)?.id ?? '')) await reader.next()
  const seqs = long.map((_, at) => at + 1)
  for (const id of ids) expect(seqsOfSession(reader.frames, id)).toEqual(seqs)
  expect(server.streams.figures().cut).toBe(0)
})

test('a client is disconnected when too much of the overview waits for it', async () => {
  const server = await openStreams()
  const write = await server.createSession('a')
  const reader = await server.readMany([])
  await reader.next()
  reader.socket.pause()
  let count = 0
  while (server.streams.figures().cut === 0) {
    count += 1
    await write({
      type: 'approval_request',
      kind: 'tool',
      approvalId: `q${count}`,
      reasoning: 'x'.repeat(50_000),
    })
    await turn()
  }
  reader.socket.resume()
  await reader.ended
  expect(reader.frames.at(-1)?.event).toEqual({ type: 'slow_consumer' })
})

test('responds 404 if one of the sessions does not exist', async () => {
  const server = await openStreams()
  await server.createSession('a')
  const { head } = await server.readMany(['a', 'nobody'])
  expect(head).toMatch(/^HTTP\/1.1 404/)
  expect(server.streams.figures().clients).toBe(0)
})
