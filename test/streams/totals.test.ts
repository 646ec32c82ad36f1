import { expect, test } from 'vitest'
import { type Log, openMemoryLog } from '../../src/log/index.ts'
import { session } from '../log/samples.ts'
import { end, start, usage } from '../transcript/events.ts'
import { openStreams } from './open-streams.ts'

test('totals are of all sessions, those that nobody has touched too', async () => {
  const server = await openStreams({ log: 'sqlite' })
  for (const id of ['a', 'b']) {
    const write = await server.createSession(id)
    await write(start, usage(10, 0.25), end)
  }
  await server.streams.close()
  // One that no server has seen yet: it was recorded by a program of its own.
  await server.log.sessions.create(session('c'))
  await server.log.append('c', [{ ...usage(1, 1), sessionId: 'c', seq: 1, timestamp: 1 }])
  const later = await openStreams({ log: server.log })
  expect(await later.streams.totals()).toMatchObject({
    sessions: 3,
    usage: { input: 21, costUsd: 1.5, provenance: { cost: 'computed' } },
  })
  expect(await later.log.snapshots.get('c')).toMatchObject({ seq: 1 })
})

test('a list that could not be read once is read for the next who asks', async () => {
  const log = await openMemoryLog()
  await log.sessions.create(session('a'))
  let isWell = false
  const list: Log['sessions']['list'] = (filter) =>
    isWell ? log.sessions.list(filter) : Promise.reject(new Error('disk'))
  const { streams } = await openStreams({ log: { ...log, sessions: { ...log.sessions, list } } })
  await expect(streams.totals()).rejects.toThrow('disk')
  isWell = true
  expect(await streams.totals()).toMatchObject({ sessions: 1 })
})

test('a session that cannot be read is told of, and hides none of the others', async () => {
  const log = await openMemoryLog()
  for (const id of ['bad', 'good']) {
    await log.sessions.create(session(id))
    await log.append(id, [{ ...usage(5, 1), sessionId: id, seq: 1, timestamp: 1 }])
  }
  await log.snapshots.put('bad', 1, 'damaged\n')
  const faults: unknown[] = []
  const { streams } = await openStreams({ log, onError: (cause) => void faults.push(cause) })
  expect(await streams.totals()).toMatchObject({ sessions: 2, usage: { input: 5, costUsd: 1 } })
  expect(faults[0]).toBeInstanceOf(SyntaxError)
})
