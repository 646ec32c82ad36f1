import { describe, expect, test } from 'vitest'
import type { SessionInfo } from '../../src/api/types.ts'
import { createClient } from '../../src/client/index.ts'
import { emptyTotals } from '../../src/events/usage-sums.ts'
import { createClock } from './support/clock.ts'
import { eventAt, frame, frames, snapshotAt } from './support/frames.ts'
import { openScriptedServer, type ScriptedServer } from './support/scripted-server.ts'
import { until } from './support/until.ts'

const session = (id: string, createdAt: number, more: Partial<SessionInfo> = {}): SessionInfo => ({
  id,
  agent: 'pi',
  cwd: '/p',
  state: 'idle',
  createdAt,
  updatedAt: createdAt,
  lastActivity: createdAt,
  ...more,
})
const totals = (running: number) => ({
  sessions: 2,
  running,
  approvals: 0,
  usage: emptyTotals(),
})
const overview = {
  type: 'overview',
  sessions: [session('b', 20), session('a', 10)],
  approvals: [{ approvalId: 'x', sessionId: 'a', deadline: 9 }],
  totals: totals(0),
}
const approvalRequest = (sessionId: string, approvalId: string) => ({
  type: 'approval_request',
  kind: 'tool',
  approvalId,
  toolName: 'bash',
  deadline: 99,
  hash: 'h',
  sessionId,
  seq: 4,
  timestamp: 44,
})

const openAll = (server: ScriptedServer) => {
  const clock = createClock()
  const urls: string[] = []
  const client = createClient({
    url: server.url,
    ...clock.platform,
    fetch(url, init) {
      urls.push(url)
      return fetch(url, init)
    },
  })
  const types: string[] = []
  const following = client.followAll({
    onEvents: (events) => types.push(...events.map(({ type }) => type)),
  })
  return { ...following, clock, urls, types, [Symbol.dispose]: following.close }
}

describe('the overview', () => {
  test('has all sessions, pending approvals and totals', async () => {
    await using server = await openScriptedServer()
    using all = openAll(server)
    expect(all.overview.get()).toMatchObject({ isLoaded: false, sessions: [], totals: null })
    const request = await server.nextRequest()
    expect(request.path).toBe('/api/v1/stream')
    request.send(frame(overview))
    await until(() => all.overview.get().isLoaded)
    const { type: _, ...sent } = overview
    expect(all.overview.get()).toEqual({ isLoaded: true, loops: [], ...sent, degraded: null })
    expect(all.types).toEqual(['overview'])
  })

  test('changes with each event; unchanged sessions stay the same objects', async () => {
    await using server = await openScriptedServer()
    using all = openAll(server)
    let changes = 0
    all.overview.subscribe(() => {
      changes += 1
    })
    const ids = () => all.overview.get().sessions.map(({ id }) => id)
    const approvals = () => all.overview.get().approvals.map(({ approvalId }) => approvalId)
    const request = await server.nextRequest()
    request.send(frame(overview))
    await until(() => all.overview.get().isLoaded)
    const [, old] = all.overview.get().sessions
    request.send(
      frame({ type: 'session_created', session: session('c', 30) }),
      frame({ type: 'session_created', session: session('past', 15) }),
      frame({ type: 'session_created', session: session('busy', 5, { state: 'running' }) }),
      frame({ type: 'session_updated', session: session('b', 20, { name: 'New' }) }),
      frames(approvalRequest('b', 'y'), approvalRequest('b', 'y'), approvalRequest('c', 'z')),
      frame({ type: 'totals', totals: totals(1) }),
    )
    await until(() => all.overview.get().totals?.running === 1)
    // Those that work, then by their last activity.
    expect(ids()).toEqual(['busy', 'c', 'b', 'past', 'a'])
    expect(all.overview.get().sessions[2]).toMatchObject({ name: 'New' })
    expect(all.overview.get().sessions[4]).toBe(old)
    expect(approvals()).toEqual(['x', 'y', 'z'])
    expect(all.overview.get().approvals[1]).toEqual({
      kind: 'tool',
      approvalId: 'y',
      sessionId: 'b',
      toolName: 'bash',
      deadline: 99,
      hash: 'h',
      createdAt: 44,
    })
    const resolved = { action: 'deny', outcome: 'expired', sessionId: 'b', seq: 5, timestamp: 1 }
    request.send(
      frame({ type: 'approval_resolved', approvalId: 'y', ...resolved }),
      frame({ type: 'session_removed', sessionId: 'a' }),
    )
    await until(() => ids().length === 4)
    expect(approvals()).toEqual(['z'])
    const before = changes
    request.send(frame({ type: 'approval_resolved', approvalId: 'y', ...resolved, seq: 6 }))
    request.send(frame({ type: 'totals', totals: totals(2) }))
    await until(() => all.overview.get().totals?.running === 2)
    expect(changes - before).toBe(1)
  })

  test('is replaced after a broken connection', async () => {
    await using server = await openScriptedServer()
    using all = openAll(server)
    const first = await server.nextRequest()
    first.send(frame(overview))
    await until(() => all.overview.get().isLoaded)
    first.cut()
    await until(() => all.state().status === 'waiting')
    expect(all.overview.get().sessions).toHaveLength(2)
    all.clock.advance(1000)
    const second = await server.nextRequest()
    second.send(frame({ ...overview, sessions: [session('d', 40)], approvals: [] }))
    await until(() => all.overview.get().sessions.length === 1)
    expect(all.overview.get().approvals).toEqual([])
  })
})

describe('transcripts', () => {
  test('of several sessions share one connection', async () => {
    await using server = await openScriptedServer()
    using all = openAll(server)
    const a = all.follow('a')
    const b = all.follow('b')
    const again = all.follow('a')
    const request = await server.nextRequest()
    expect(request.path).toBe('/api/v1/stream?sessions=a%2Cb')
    // Approvals come from all sessions, so this one can precede its snapshot.
    request.send(frame(overview), frame(approvalRequest('b', 'y')))
    await until(() => all.overview.get().approvals.length === 2)
    expect(b.get().seq).toBe(0)
    request.send(frames(snapshotAt(3, 'a'), eventAt(4, 'a'), snapshotAt(7, 'b'), eventAt(5, 'a')))
    await until(() => a.get().seq === 5 && b.get().seq === 7)
    expect([a, b].map((store) => store.isLoaded())).toEqual([true, true])
    expect(again.get()).toBe(a.get())
    expect(a.state()).toEqual({ status: 'live' })
    expect(all.urls).toHaveLength(1)
  })

  test('reconnect when one more is followed, and continue from their cursors', async () => {
    await using server = await openScriptedServer()
    using all = openAll(server)
    const a = all.follow('a')
    const first = await server.nextRequest()
    first.send(frames(snapshotAt(3, 'a')))
    await until(a.isLoaded)
    const shown = a.get()
    const statuses: string[] = []
    all.subscribe(() => statuses.push(all.state().status))
    const b = all.follow('b')
    const second = await server.nextRequest()
    expect(second.path).toBe('/api/v1/stream?sessions=a%2Cb')
    expect(second.headers['last-event-id']).toBe('a:3')
    expect(a.get()).toBe(shown)
    second.send(frame(overview), frames(snapshotAt(7, 'b')))
    await until(b.isLoaded)
    expect(statuses).toEqual(['connecting', 'live'])
  })

  test('are followed until all followers have closed them', async () => {
    await using server = await openScriptedServer()
    using all = openAll(server)
    const a = all.follow('a')
    const again = all.follow('a')
    const b = all.follow('b')
    const first = await server.nextRequest()
    first.send(frames(snapshotAt(3, 'a'), snapshotAt(7, 'b')))
    await until(b.isLoaded)
    a.close()
    a.close()
    expect(a.state()).toEqual({ status: 'stopped' })
    first.send(frame(eventAt(4, 'a')))
    await until(() => again.get().seq === 4)
    expect(server.waitingRequests()).toBe(0)
    again.close()
    const second = await server.nextRequest()
    expect(second.path).toBe('/api/v1/stream?sessions=b')
    // Followed again, it continues from the transcript that it had.
    const later = all.follow('a', { from: a.get() })
    const third = await server.nextRequest()
    expect(third.headers['last-event-id']).toBe('b:7,a:4')
    expect(later.isLoaded()).toBe(true)
  })

  test('stop with the reason when the session was deleted or does not exist', async () => {
    await using server = await openScriptedServer()
    using all = openAll(server)
    const [a, b, c] = [all.follow('a'), all.follow('b'), all.follow('c')]
    const first = await server.nextRequest()
    const problem = { type: 'x', title: 'x', status: 404, code: 'unknown_session', detail: 'No.' }
    first.json({ ...problem, sessionId: 'c' }, 404)
    const second = await server.nextRequest()
    expect(second.path).toBe('/api/v1/stream?sessions=a%2Cb')
    expect(c.state()).toMatchObject({ status: 'stopped', error: { code: 'unknown_session' } })
    second.send(frames(snapshotAt(3, 'a'), snapshotAt(7, 'b')))
    await until(b.isLoaded)
    second.send(frame({ type: 'session_removed', sessionId: 'a' }), frame(eventAt(8, 'b')))
    await until(() => b.get().seq === 8)
    expect(a.state()).toMatchObject({ status: 'stopped', error: { status: 410 } })
    expect(a.get().seq).toBe(3)
    expect(b.state()).toEqual({ status: 'live' })
    expect(server.waitingRequests()).toBe(0)
  })

  test('stay as they are when closed, and the connection ends', async () => {
    await using server = await openScriptedServer()
    using all = openAll(server)
    const a = all.follow('a')
    const request = await server.nextRequest()
    request.send(frame(overview), frames(snapshotAt(3, 'a')))
    await until(a.isLoaded)
    all.close()
    await request.closed
    await until(() => a.state().status === 'stopped')
    expect(all.overview.get().sessions).toHaveLength(2)
  })
})
