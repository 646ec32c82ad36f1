import { expect, test } from 'vitest'
import { createClient, type WatchOptions } from '../../src/client/index.ts'
import { createClock } from './support/clock.ts'
import { eventAt, frame, frames, snapshotAt } from './support/frames.ts'
import { openScriptedServer, type ScriptedServer } from './support/scripted-server.ts'
import { until } from './support/until.ts'

const overview = { type: 'overview', sessions: [], approvals: [], totals: {} }

const openWatch = (server: ScriptedServer, options: WatchOptions = {}) => {
  const batches: string[] = []
  const gone: string[] = []
  const { platform } = createClock()
  const watch = createClient({ url: server.url, ...platform }).watch({
    ...options,
    onSessionEvents: (sessionId, events) =>
      batches.push(`${sessionId} ${events.map(({ seq }) => seq).join(' ')}`),
    onGone: (sessionId, { status }) => gone.push(`${sessionId} ${status}`),
  })
  return { ...watch, batches, gone, [Symbol.dispose]: watch.close }
}

test('passes events on by session, those of one chunk together', async () => {
  await using server = await openScriptedServer()
  using watch = openWatch(server)
  watch.setSessions(['a', 'b'])
  const request = await server.nextRequest()
  expect(request.path).toBe('/api/v1/stream?sessions=a%2Cb')
  request.send(
    frame(overview) + frames(snapshotAt(3, 'a'), snapshotAt(7, 'b'), eventAt(4, 'a')),
    frame({ type: 'session_removed', sessionId: 'b' }),
  )
  await until(() => watch.gone.length === 1)
  expect(watch.batches).toEqual(['a 3 4', 'b 7'])
  expect(watch.gone).toEqual(['b 410'])
  expect(watch.overview.get().isLoaded).toBe(true)
  expect(watch.state()).toEqual({ status: 'live' })
})

test('refresh requests a snapshot of one session, and the others continue', async () => {
  await using server = await openScriptedServer()
  using watch = openWatch(server)
  watch.setSessions(['a', 'b'])
  const first = await server.nextRequest()
  first.send(frame(overview) + frame(snapshotAt(3, 'a')))
  await until(() => watch.batches.length === 1)
  // The snapshot of b is on its way.
  watch.refresh('b')
  watch.refresh('a')
  const second = await server.nextRequest()
  expect(second.path).toBe('/api/v1/stream?sessions=a%2Cb')
  expect(second.headers['last-event-id']).toBeUndefined()
  second.send(frames(snapshotAt(5, 'a'), snapshotAt(7, 'b')))
  await until(() => watch.batches.includes('b 7'))
  watch.refresh('a')
  const third = await server.nextRequest()
  expect(third.headers['last-event-id']).toBe('b:7')
  expect(server.waitingRequests()).toBe(0)
})
