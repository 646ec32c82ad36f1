import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../src/client/index.ts'
import { createStamp } from '../../src/events/stamp.ts'
import type { Snapshot } from '../../src/events/types.ts'
import { applyEvents, emptyTranscript, toSnapshot } from '../../src/transcript/index.ts'
import {
  advanceSession,
  type FollowedSession,
  notFollowed,
} from '../../web/src/state/followed-sessions.ts'
import { groupSessions } from '../../web/src/state/groups.ts'
import { routeOf, sessionPath } from '../../web/src/state/route.ts'

const stamp = createStamp('s', () => 1)
const events = [
  stamp({ type: 'session_start', agent: 'demo' }),
  stamp({ type: 'agent_start' }),
  stamp({ type: 'session_update', status: 'stopping', thinkingLevel: 'high' }),
  stamp({ type: 'agent_end', stopReason: 'aborted' }),
]
const snapshotAfter = (count: number): Snapshot =>
  toSnapshot(applyEvents(emptyTranscript('s'), events.slice(0, count)), {
    projectId: 'p',
    cursor: `${count}-0000000a`,
  })
const followed = (...all: SessionEvent[]): FollowedSession =>
  all.reduce(advanceSession, notFollowed)

describe('a followed session', () => {
  test('ignores events before its snapshot', () => {
    expect(followed(...events)).toBe(notFollowed)
  })

  test('applies each event once, however often it arrives', () => {
    const [, second, third] = events
    if (!second || !third) throw new Error('no events')
    const live = followed(snapshotAfter(1), second, third)
    expect(live).toMatchObject({ transcript: { status: 'stopping' }, endedRuns: 0 })
    expect([second, third].reduce(advanceSession, live)).toBe(live)
  })

  test('stays the same object when a snapshot is of the same event', () => {
    const live = followed(snapshotAfter(3))
    expect(advanceSession(live, snapshotAfter(3))).toBe(live)
  })

  test('is replaced by every other snapshot, also by one of fewer events', () => {
    const live = followed(snapshotAfter(3))
    const other: Snapshot = { ...snapshotAfter(3), cursor: '3-0000000b', name: 'Other' }
    expect(advanceSession(live, other).transcript).toMatchObject({ seq: 3, name: 'Other' })
    expect(advanceSession(live, snapshotAfter(2)).transcript).toMatchObject({ seq: 2 })
  })

  test('has the status and the thinking level of its snapshot', () => {
    expect(followed(snapshotAfter(3)).transcript).toMatchObject({
      status: 'stopping',
      thinkingLevel: 'high',
    })
    expect(followed(snapshotAfter(4)).transcript).not.toHaveProperty('status')
  })

  test('counts runs that ended, also while it was not connected', () => {
    expect(followed(snapshotAfter(1), ...events)).toMatchObject({ endedRuns: 1 })
    expect(followed(snapshotAfter(2), snapshotAfter(4))).toMatchObject({ endedRuns: 1 })
  })
})

describe('an address', () => {
  test.each([
    ['/', '', { page: 'overview' }],
    ['/sessions/a%20b', '', { page: 'session', id: 'a b' }],
    ['/sessions/s/', '#m=m-1', { page: 'session', id: 's', messageId: 'm-1' }],
    ['/sessions/', '', { page: 'missing' }],
    ['/sessions/%E0%A4%A', '', { page: 'missing' }],
    ['/projects/p%201/rules', '', { page: 'rules', projectId: 'p 1' }],
    ['/loops/l%201', '', { page: 'loop', id: 'l 1' }],
    ['/watched', '', { page: 'watched' }],
    ['/cost', '', { page: 'cost' }],
    ['/budgets', '', { page: 'budgets' }],
    ['/prices', '', { page: 'prices' }],
    ['/elsewhere', '', { page: 'missing' }],
  ])('%s%s', (pathname, hash, route) => {
    expect(routeOf({ pathname, hash })).toEqual(route)
  })

  test('of a message leads to that message', () => {
    const url = new URL(sessionPath('a/b', 'm&1'), 'http://localhost')
    expect(routeOf(url)).toEqual({ page: 'session', id: 'a/b', messageId: 'm&1' })
  })
})

describe('sessions in lists', () => {
  const session = (id: string, projectId: string, lastActivity: number) => ({
    id,
    projectId,
    lastActivity,
    updatedAt: 0,
    agent: 'demo',
    cwd: '/',
    state: 'idle' as const,
    createdAt: 0,
  })
  const shown = (...sessions: Parameters<typeof groupSessions>[0]) => {
    const { active, projects } = groupSessions(sessions)
    const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id)
    return {
      active: idsOf(active),
      projects: projects.map((group) => [group.projectId, idsOf(group.sessions)]),
    }
  }
  const [a, b, c] = [session('a', 'p', 1), session('b', 'q', 3), session('c', 'p', 2)]

  test('are grouped by project, those that were used last first', () => {
    expect(shown(a, b, c)).toEqual({
      active: [],
      projects: [
        ['q', ['b']],
        ['p', ['c', 'a']],
      ],
    })
  })

  test('that wait, work or failed come before all others, whatever their project and age', () => {
    const resting = Array.from({ length: 100 }, (_, index) => session(`r${index}`, 'p', 1000))
    const failed = { ...session('failed', 'q', 9), activity: { kind: 'failed' as const } }
    const working = { ...session('working', 'q', 5), state: 'running' as const }
    const starting = { ...session('starting', 'p', 7), state: 'running' as const }
    const waiting = { ...session('waiting', 'r', 1), pendingApprovals: 1 }
    const { active, projects } = shown(...resting, failed, working, starting, waiting)
    expect(active).toEqual(['waiting', 'starting', 'working', 'failed'])
    expect(projects).toHaveLength(1)
  })
})
