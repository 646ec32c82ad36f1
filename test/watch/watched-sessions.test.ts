import { expect, test } from 'vitest'
import type { AgentEvent, StampedEvent } from '../../src/events/types.ts'
import { openMemoryLog } from '../../src/log/memory/memory-log.ts'
import type { SessionLifecycleEvent } from '../../src/session/registry/sessions.ts'
import { createWatchedSessions } from '../../src/watch/create-watched-sessions.ts'
import type { WatchedSession } from '../../src/watch/watched-session.ts'
import type { NotWatched } from '../../src/watch/watched-sessions.ts'
import { dataDirectory, openDemoSessions } from '../support/demo-sessions.ts'

const native = { agent: 'claude', nativeId: 'n1', cwd: '/project', startedAt: 500 }
const run: AgentEvent[] = [
  { type: 'agent_start' },
  { type: 'message_start', messageId: 'u1', messageRole: 'user' },
  {
    type: 'message_end',
    messageId: 'u1',
    message: { role: 'user', content: [{ type: 'text', text: 'Fix the test' }] },
  },
]

const openRig = async (log = openMemoryLog()) => {
  const stored = await log
  const published: StampedEvent[] = []
  const lifecycle: SessionLifecycleEvent[] = []
  const open = () =>
    createWatchedSessions({
      log: stored,
      now: () => 2000,
      publish: (event) => published.push(event),
      publishHistory: (event) => published.push(event),
      notify: (event) => lifecycle.push(event),
      onError(cause) {
        throw cause
      },
    })
  return { log: stored, published, lifecycle, open, watched: open() }
}

const session = (opened: WatchedSession | NotWatched): WatchedSession => {
  if (typeof opened === 'string') throw new Error(opened)
  return opened
}

const eventsOf = async (log: Awaited<ReturnType<typeof openMemoryLog>>, id: string) => {
  const events: StampedEvent[] = []
  for await (const event of log.read(id, 0)) events.push(event)
  return events
}

test('a watched session has the times of its events, and what follows from them', async () => {
  const { log, watched, published, lifecycle } = await openRig()
  const opened = session(await watched.open(native))
  await opened.append([{ at: 600, events: run.slice(0, 1), readUpTo: { offset: 10 } }])
  // Lines of a file are not always in the order of their times.
  await opened.append([{ at: 590, events: run.slice(1) }])
  expect(opened.isRunning()).toBe(true)
  expect(await log.sessions.get(opened.id)).toMatchObject({
    ...{ agent: 'claude', cwd: '/project', state: 'running', createdAt: 500 },
    ...{ title: 'Fix the test', watched: { nativeId: 'n1', since: 2000 } },
  })
  await opened.append([{ at: 700, events: [{ type: 'agent_end', stopReason: 'stop' }] }])
  await opened.release()
  const events = await eventsOf(log, opened.id)
  expect(events.map(({ seq, timestamp, type }) => [seq, timestamp, type])).toEqual([
    [1, 600, 'agent_start'],
    [2, 600, 'turn_state'],
    [3, 600, 'message_start'],
    [4, 600, 'message_end'],
    [5, 700, 'turn_state'],
    [6, 700, 'agent_end'],
  ])
  expect(events.map(({ readUpTo }) => readUpTo?.offset)).toEqual([
    ...[undefined, 10, undefined, undefined, undefined, undefined],
  ])
  expect(published).toEqual(events)
  expect(await log.sessions.get(opened.id)).toMatchObject({ state: 'idle', lastActivity: 700 })
  expect(lifecycle.map(({ type }) => type)).toContain('session_created')
})

test('one session is opened by all that learn about it, and again after a restart', async () => {
  const { log, watched, open } = await openRig()
  const [first, second] = [await watched.open(native), await watched.open(native)].map(session)
  await Promise.all([
    first?.append([{ events: run.slice(0, 1) }]),
    second?.append([{ events: run.slice(1) }]),
  ])
  await first?.release()
  await second?.append([{ events: [{ type: 'agent_end' }] }])
  await watched.close()
  const again = session(await open().open(native))
  expect(again.id).toBe(first?.id)
  expect(again.isRunning()).toBe(false)
  await again.append([{ events: run }])
  expect(again.isRunning()).toBe(true)
  const events = await eventsOf(log, again.id)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  expect((await log.sessions.list()).length).toBe(1)
})

test('sessions that Sluice runs, or that a person deleted, are not watched', async () => {
  const { log, watched, open, lifecycle } = await openRig()
  const own = { agent: 'claude', cwd: '/project', createdAt: 1, updatedAt: 1 } as const
  await log.sessions.create({ ...own, id: 's1', state: 'running' })
  // Its agent has not said its id yet: it may be this one.
  expect(await watched.open(native)).toBe('starting')
  expect(await watched.open({ ...native, cwd: '/other', nativeId: 'n2' })).toMatchObject({})
  const named = await log.sessions.update('s1', { nativeId: 'n1' })
  watched.onSession({ type: 'session_updated', session: named })
  expect(await watched.open(native)).toBe('own')
  // Its conversation was cleared, and then the session was deleted.
  const cleared = await log.sessions.update('s1', { nativeId: 'n3' })
  watched.onSession({ type: 'session_updated', session: cleared })
  await log.sessions.remove('s1')
  watched.onSession({ type: 'session_removed', sessionId: 's1' })
  const other = watched.idOf({ agent: 'claude', nativeId: 'n2' })
  watched.onSession(lifecycle.at(0) ?? { type: 'session_removed', sessionId: other })
  await log.sessions.update(other, { removedAt: 5 })
  expect(await watched.open({ ...native, nativeId: 'n2' })).toBe('deleted')
  await log.sessions.remove(other)
  watched.onSession({ type: 'session_removed', sessionId: other })
  await watched.close()
  const restarted = open()
  expect(await restarted.open(native)).toBe('own')
  expect(await restarted.open({ ...native, nativeId: 'n3' })).toBe('own')
  expect(await restarted.open({ ...native, nativeId: 'n2' })).toBe('deleted')
})

test('what was read of a session is removed when Sluice turns out to run it', async () => {
  const { log, watched, lifecycle } = await openRig()
  const { id, append } = session(await watched.open(native))
  await append([{ events: run }])
  const own = { agent: 'claude', cwd: '/project', createdAt: 1, updatedAt: 1 } as const
  await log.sessions.create({ ...own, id: 's1', state: 'running', nativeId: 'n1' })
  const record = await log.sessions.get('s1')
  if (record) watched.onSession({ type: 'session_created', session: record })
  await expect
    .poll(() => lifecycle.at(-1))
    .toMatchObject({ type: 'session_removed', sessionId: id })
  expect(await log.sessions.get(id)).toBeUndefined()
  await expect(append([{ events: run }])).rejects.toThrow('no longer watched')
})

test('a watched session takes no commands, and stays as it is at the start', async () => {
  const { log, watched } = await openRig()
  const { id, append, release } = session(await watched.open({ ...native, agent: 'demo' }))
  await append([{ events: run }])
  await release()
  const head = await log.head(id)
  const sessions = await openDemoSessions({ directory: dataDirectory(), wrapLog: () => log })
  expect(await log.head(id)).toBe(head)
  const found = await sessions.get(id)
  expect(await found?.prompt('hi')).toMatchObject({ outcome: 'failed', code: 'session_watched' })
  await expect(sessions.fork(id)).rejects.toMatchObject({ code: 'session_watched' })
  await sessions.close()
})
