import { describe, expect, test } from 'vitest'
import { defaultPlatform } from '../../src/client/index.ts'
import { createHub } from '../../web/src/stream/hub.ts'
import type { FromHub } from '../../web/src/stream/messages.ts'
import { createClock } from '../client/support/clock.ts'
import { eventAt, frame, frames, resumeAt, snapshotAt } from '../client/support/frames.ts'
import { openScriptedServer, type ScriptedServer } from '../client/support/scripted-server.ts'
import { until } from '../client/support/until.ts'

const totals = { sessions: 0, running: 0, approvals: 0, usage: {} }
const overview = { type: 'overview', sessions: [], approvals: [], totals }
const approval = (seq: number, sessionId = 's') => ({
  ...eventAt(seq, sessionId),
  type: 'approval_request',
  approvalId: `${sessionId}-${seq}`,
  deadline: 9,
  hash: 'h',
})

const openHub = (server: ScriptedServer) => {
  const clock = createClock()
  const hub = createHub(server.url, 'secret', { ...defaultPlatform, ...clock.platform })

  /** A page that is connected to the hub. */
  const openPage = (...sessions: string[]) => {
    const messages: FromHub[] = []
    const port = { postMessage: (message: FromHub) => messages.push(message) }
    hub.enter(port)
    const follow = (...ids: string[]) => hub.accept(port, { type: 'follow', sessions: ids })
    if (sessions.length > 0) follow(...sessions)
    return {
      messages,
      follow,
      send: (type: 'retry' | 'disconnect') => hub.accept(port, { type }),
      /** The events that it received, by their seq; a snapshot has an `s` before it. */
      seen: () =>
        messages
          .flatMap((message) => (message.type === 'events' ? message.events : []))
          .map(({ type, seq }) => (type === 'snapshot' ? `s${seq}` : seq)),
      gone: () =>
        messages.flatMap((message) => (message.type === 'gone' ? [message.sessionId] : [])),
      statuses: () =>
        messages.flatMap((message) =>
          message.type === 'connection' ? [message.connection.status] : [],
        ),
    }
  }
  return { clock, openPage, isStopped: hub.isStopped, [Symbol.dispose]: hub.close }
}

describe('the hub', () => {
  test('sends each page the connection, the overview, and the sessions that it shows', async () => {
    await using server = await openScriptedServer()
    using hub = openHub(server)
    const one = hub.openPage('a')
    const other = hub.openPage('b')
    const request = await server.nextRequest()
    expect(request.path).toBe('/api/v1/stream?sessions=a%2Cb')
    request.send(frame(overview), frames(snapshotAt(3, 'a'), snapshotAt(7, 'b')))
    request.send(frames(eventAt(4, 'a'), eventAt(8, 'b'), eventAt(5, 'a'), approval(1, 'c')))
    await until(() => one.seen().length === 3 && other.seen().length === 2)
    expect(one.seen()).toEqual(['s3', 4, 5])
    expect(other.seen()).toEqual(['s7', 8])
    expect([one.statuses().at(0), one.statuses().at(-1)]).toEqual(['connecting', 'live'])
    const late = hub.openPage()
    expect(late.messages.map(({ type }) => type)).toEqual(['connection', 'overview'])
    expect(server.waitingRequests()).toBe(0)
  })

  test('sends a page that joins a session the snapshot and all events since, at once', async () => {
    await using server = await openScriptedServer()
    using hub = openHub(server)
    const one = hub.openPage('s')
    const request = await server.nextRequest()
    request.send(frame(overview), frames(snapshotAt(3), eventAt(4)))
    await until(() => one.seen().length === 2)
    const other = hub.openPage('s')
    expect(other.seen()).toEqual(['s3', 4])
    request.send(frame(eventAt(5)))
    await until(() => other.seen().length === 3)
    expect(one.seen()).toEqual(['s3', 4, 5])
    expect(server.waitingRequests()).toBe(0)
  })

  test('does so while the server is not reachable', async () => {
    await using server = await openScriptedServer()
    using hub = openHub(server)
    const one = hub.openPage('s')
    const request = await server.nextRequest()
    request.send(frame(overview), frames(snapshotAt(3)))
    await until(() => one.seen().length === 1)
    request.cut()
    await until(() => one.statuses().includes('waiting'))
    expect(hub.openPage('s').seen()).toEqual(['s3'])
  })

  test('requests a new snapshot for a page that joins after too many events', async () => {
    await using server = await openScriptedServer()
    using hub = openHub(server)
    const one = hub.openPage('s')
    const first = await server.nextRequest()
    const many = Array.from({ length: 2001 }, (_, index) => eventAt(index + 4))
    first.send(frame(overview), frames(snapshotAt(3), ...many))
    await until(() => one.seen().length === 2002)
    const other = hub.openPage('s')
    const third = hub.openPage('s')
    const second = await server.nextRequest()
    expect(second.headers['last-event-id']).toBeUndefined()
    // An approval may come before the snapshot that contains it: without the snapshot it means nothing.
    second.send(frame(overview), frame(approval(2005)), frames(snapshotAt(2005), eventAt(2006)))
    await until(() => one.seen().at(-1) === 2006)
    expect(other.seen()).toEqual(['s2005', 2006])
    expect(third.seen()).toEqual(['s2005', 2006])
    expect(one.seen().slice(-3)).toEqual([2004, 's2005', 2006])
    expect(hub.openPage('s').seen()).toEqual(['s2005', 2006])
    expect(server.waitingRequests()).toBe(0)
  })

  test('follows a session for two more seconds, so that a reload finds it', async () => {
    await using server = await openScriptedServer()
    using hub = openHub(server)
    const before = hub.openPage('s')
    const request = await server.nextRequest()
    request.send(frame(overview), frames(snapshotAt(3)))
    await until(() => before.seen().length === 1)
    before.send('disconnect')
    hub.clock.advance(1999)
    const after = hub.openPage('s')
    expect(after.seen()).toEqual(['s3'])
    hub.clock.advance(1)
    request.send(frame(eventAt(4)))
    await until(() => after.seen().length === 2)
    after.follow()
    hub.clock.advance(2000)
    const second = await server.nextRequest()
    expect(second.path).toBe('/api/v1/stream')
    expect(before.seen()).toEqual(['s3'])
  })

  test('reports a deleted session, and follows it again after an undo', async () => {
    await using server = await openScriptedServer()
    using hub = openHub(server)
    const one = hub.openPage('s', 'other')
    const first = await server.nextRequest()
    first.send(frame(overview), frames(snapshotAt(3), snapshotAt(1, 'other')))
    await until(() => one.seen().length === 2)
    first.send(frame({ type: 'session_removed', sessionId: 's' }))
    await until(() => one.gone().length === 1)
    expect(one.gone()).toEqual(['s'])
    one.follow('other')
    expect(server.waitingRequests()).toBe(0)
    one.follow('other', 's')
    const second = await server.nextRequest()
    expect(second.path).toBe('/api/v1/stream?sessions=other%2Cs')
    expect(second.headers['last-event-id']).toBe('other:1')
    second.send(
      frame(overview),
      frame({ ...resumeAt(1), sessionId: 'other' }),
      frame(snapshotAt(3)),
    )
    await until(() => one.seen().length === 3)
  })

  test('reports a session that does not exist', async () => {
    await using server = await openScriptedServer()
    using hub = openHub(server)
    const one = hub.openPage('nowhere')
    const request = await server.nextRequest()
    const problem = { type: 'x', title: 'x', status: 404, code: 'unknown_session', detail: 'No.' }
    request.json({ ...problem, sessionId: 'nowhere' }, 404)
    expect((await server.nextRequest()).path).toBe('/api/v1/stream')
    expect(one.gone()).toEqual(['nowhere'])
  })

  test('reconnects at once when a page asks for it', async () => {
    await using server = await openScriptedServer()
    using hub = openHub(server)
    const one = hub.openPage()
    const first = await server.nextRequest()
    first.cut()
    await until(() => one.statuses().includes('waiting'))
    one.send('retry')
    await server.nextRequest()
  })

  test('stops when the server refuses the token', async () => {
    await using server = await openScriptedServer()
    using hub = openHub(server)
    const one = hub.openPage()
    const request = await server.nextRequest()
    request.json({}, 401)
    await until(() => one.statuses().includes('denied'))
    expect(hub.isStopped()).toBe(true)
  })
})
