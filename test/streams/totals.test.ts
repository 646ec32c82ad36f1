import { expect, test } from 'vitest'
import { type Log, openMemoryLog } from '../../src/log/index.ts'
import { session } from '../log/samples.ts'
import { end, start, usage } from '../transcript/events.ts'
import { openStreams } from './open-streams.ts'

test('totals count all sessions, also those that are not in memory', async () => {
  const server = await openStreams({ log: 'sqlite' })
  for (const id of ['a', 'b']) {
    const write = await server.createSession(id)
    await write(start, usage(10, 0.25), end)
  }
  await server.streams.close()
  // A session that no server has loaded yet: another program recorded it.
  await server.log.sessions.create(session('c'))
  await server.log.append('c', [{ ...usage(1, 1), sessionId: 'c', seq: 1, timestamp: 1 }])
  const later = await openStreams({ log: server.log })
  expect(await later.streams.totals()).toMatchObject({
    sessions: 3,
    usage: { input: 21, costUsd: 1.5, provenance: { cost: 'computed' } },
  })
  expect(await later.log.snapshots.get('c')).toMatchObject({ seq: 1 })
})

test('a list of sessions that could not be read is read again for the next caller', async () => {
  const log = await openMemoryLog()
  await log.sessions.create(session('a'))
  let isReadable = false
  const list: Log['sessions']['list'] = (filter) =>
    isReadable ? log.sessions.list(filter) : Promise.reject(new Error('disk'))
  const { streams } = await openStreams({ log: { ...log, sessions: { ...log.sessions, list } } })
  await expect(streams.totals()).rejects.toThrow('disk')
  isReadable = true
  expect(await streams.totals()).toMatchObject({ sessions: 1 })
})

test('a session that cannot be read is reported and hides no other session', async () => {
  const log = await openMemoryLog()
  for (const id of ['bad', 'good']) {
    await log.sessions.create(session(id))
    await log.append(id, [{ ...usage(5, 1), sessionId: id, seq: 1, timestamp: 1 }])
  }
  await log.snapshots.put('bad', 1, 'damaged\n')
  const errors: unknown[] = []
  const { streams } = await openStreams({ log, onError: (cause) => void errors.push(cause) })
  expect(await streams.totals()).toMatchObject({ sessions: 2, usage: { input: 5, costUsd: 1 } })
  expect(errors[0]).toBeInstanceOf(SyntaxError)
})

test('what deleted sessions have cost stays in the totals', async () => {
  const { createSession, streams, log } = await openStreams({ log: 'sqlite' })
  for (const id of ['a', 'b']) await (await createSession(id))(start, usage(10, 0.25), end)
  const before = await streams.totals()
  expect(before).toMatchObject({ sessions: 2, usage: { costUsd: 0.5 } })
  expect(before).not.toHaveProperty('deletedUsage')
  // First it can still be restored,
  await log.sessions.update('a', { removedAt: 1 })
  streams.publishLifecycle({ type: 'session_removed', sessionId: 'a' })
  const expected = {
    ...{ sessions: 1, usage: { input: 10, costUsd: 0.25 } },
    deletedUsage: { input: 10, costUsd: 0.25 },
  }
  expect(await streams.totals()).toMatchObject(expected)
  const restarted = await openStreams({ log })
  expect(await restarted.streams.totals()).toMatchObject(expected)
  // and then it is deleted for good.
  await log.sessions.remove('a', before.usage && { ...before.usage, input: 10, costUsd: 0.25 })
  streams.publishLifecycle({ type: 'session_removed', sessionId: 'a' })
  expect(await streams.totals()).toMatchObject(expected)
  expect(await restarted.streams.totals()).toMatchObject(expected)
})
