import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLiveState } from '../../web/src/state/live-state.ts'
import { eventAt, frame, frames, resumeAt, snapshotAt } from '../client/support/frames.ts'
import { openScriptedServer, type ScriptedServer } from '../client/support/scripted-server.ts'
import { until } from '../client/support/until.ts'

// Node has no shared workers, so the hub runs in the page.
beforeEach(() => {
  vi.stubGlobal('document', { hidden: false })
  vi.stubGlobal('requestAnimationFrame', setImmediate)
})
afterEach(() => void vi.unstubAllGlobals())

const overviewOf = (...ids: string[]) => ({
  type: 'overview',
  sessions: ids.map((id) => ({ id })),
  approvals: [],
  totals: {},
})

const openLiveState = (server: ScriptedServer) => {
  const live = createLiveState(server.url)
  live.connect('secret')
  const seqOf = (id: string) => live.followed.of(id).get().transcript?.seq
  return { ...live, seqOf, [Symbol.dispose]: () => live.connect(undefined) }
}

test('a page shows the overview and the sessions that it follows', async () => {
  await using server = await openScriptedServer()
  using live = openLiveState(server)
  const stop = live.followed.follow('a')
  live.followed.follow('b')
  const first = await server.nextRequest()
  expect(first.headers['sluice-page']).toBe('secret')
  expect(first.path).toBe('/api/v1/stream?sessions=a%2Cb')
  first.send(frame(overviewOf('a', 'b')), frames(snapshotAt(3, 'a'), eventAt(4, 'a')))
  await until(() => live.seqOf('a') === 4)
  expect(live.overview.get().sessions).toHaveLength(2)
  expect(live.connection.get()).toEqual({ status: 'live' })
  stop()
  expect(live.followed.wanted()).toEqual(['b'])
  // It stays in memory, for when the page shows it again.
  expect(live.seqOf('a')).toBe(4)
})

test('only the last sessions stay in memory', async () => {
  await using server = await openScriptedServer()
  using live = openLiveState(server)
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const stops = ids.map((id) => live.followed.follow(id))
  const request = await server.nextRequest()
  request.send(frame(overviewOf()), frames(...ids.map((id) => snapshotAt(3, id))))
  await until(() => live.seqOf('g') === 3)
  for (const stop of stops) stop()
  expect(ids.map(live.seqOf)).toEqual([undefined, 3, 3, 3, 3, 3, 3])
})

test('after a gap, a page shows the snapshot, even if it is older, and the events after it', async () => {
  await using server = await openScriptedServer()
  using live = openLiveState(server)
  live.followed.follow('a')
  const snapshot = (seq: number, check: string, name: string) =>
    frame({ ...snapshotAt(seq, 'a'), cursor: `${seq}-${check}`, name }, `a:${seq}-${check}`)
  const first = await server.nextRequest()
  first.send(frame(overviewOf('a')), snapshot(8, '0000000a', 'Before'))
  first.send(frame(eventAt(9, 'a'), 'a:9-0000000a'))
  await until(() => live.seqOf('a') === 9)
  first.cut()
  live.retry()
  const second = await server.nextRequest()
  expect(second.headers['last-event-id']).toBe('a:9-0000000a')
  second.send(frame(overviewOf('a')), frame({ ...resumeAt(9, 'gap'), sessionId: 'a' }))
  second.send(snapshot(4, '0000000b', 'Restored'), frame(eventAt(5, 'a'), 'a:5-0000000b'))
  await until(() => live.seqOf('a') === 5)
  expect(live.followed.of('a').get()).toMatchObject({
    transcript: { name: 'Restored' },
    cursor: '5-0000000b',
  })
})

test('a deleted session is marked, and followed again when the deletion is undone', async () => {
  await using server = await openScriptedServer()
  using live = openLiveState(server)
  live.followed.follow('a')
  const first = await server.nextRequest()
  first.send(frame(overviewOf('a')), frame(snapshotAt(3, 'a')))
  await until(() => live.seqOf('a') === 3)
  first.send(frame({ type: 'session_removed', sessionId: 'a' }))
  await until(() => live.followed.of('a').get().isGone === true)
  expect(live.followed.wanted()).toEqual([])
  expect(live.seqOf('a')).toBe(3)
  first.send(frame({ type: 'session_created', session: { id: 'a', createdAt: 1 } }))
  const second = await server.nextRequest()
  expect(second.path).toBe('/api/v1/stream?sessions=a')
  expect(live.followed.of('a').get().isGone).toBeUndefined()
})

test('an event that cannot be shown stops the page, with the reason', async () => {
  await using server = await openScriptedServer()
  using live = openLiveState(server)
  live.followed.follow('a')
  const request = await server.nextRequest()
  request.send(frame(overviewOf('a')), frame(snapshotAt(3, 'a')))
  request.send(frame({ type: 'tool_result', sessionId: 'a', seq: 4 }))
  await until(() => live.connection.get().status === 'stopped')
  expect(live.connection.get()).toMatchObject({
    detail: expect.stringMatching(/^Cannot show an event: /),
  })
  await request.closed
})
