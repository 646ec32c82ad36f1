import { describe, expect, test } from 'vitest'
import type { StreamEvent } from '../../src/client/index.ts'
import { createStamp } from '../../src/events/stamp.ts'
import { applyAll, emptyTranscript, toSnapshot } from '../../src/transcript/index.ts'
import { createStickToEnd } from '../../web/src/session/stick-to-end.ts'
import {
  advanceSession,
  type FollowedSession,
  notFollowed,
} from '../../web/src/state/followed-session.ts'
import { groupByProject } from '../../web/src/state/groups.ts'
import { routeOf, sessionPath } from '../../web/src/state/route.ts'

const stamp = createStamp('s', () => 1)
const events = [
  stamp({ type: 'session_start', agent: 'demo' }),
  stamp({ type: 'agent_start' }),
  stamp({ type: 'session_update', status: 'stopping', thinkingLevel: 'high' }),
  stamp({ type: 'agent_end', stopReason: 'aborted' }),
]
const snapshotAfter = (count: number): StreamEvent =>
  toSnapshot(applyAll(emptyTranscript('s'), events.slice(0, count)), { projectId: 'p' })
const taken = (...all: StreamEvent[]): FollowedSession => all.reduce(advanceSession, notFollowed)

describe('a session that is followed', () => {
  test('means nothing before its snapshot', () => {
    expect(taken(...events)).toBe(notFollowed)
  })

  test('takes each event once, however often it comes', () => {
    const [, second, third] = events
    if (!second || !third) throw new Error('no events')
    const live = taken(snapshotAfter(1), second, third)
    expect(live).toMatchObject({ transcript: { status: 'stopping' }, endedRuns: 0 })
    expect([second, third].reduce(advanceSession, live)).toBe(live)
  })

  test('stays the same object when a snapshot tells nothing new', () => {
    const live = taken(snapshotAfter(3))
    expect(advanceSession(live, snapshotAfter(3))).toBe(live)
    expect(advanceSession(live, snapshotAfter(2))).toBe(live)
  })

  test('knows from its snapshot how far a stop has come, and how much it may think', () => {
    expect(taken(snapshotAfter(3)).transcript).toMatchObject({
      status: 'stopping',
      thinkingLevel: 'high',
    })
    expect(taken(snapshotAfter(4)).transcript).not.toHaveProperty('status')
  })

  test('counts runs that end, also those that ended while nobody listened', () => {
    expect(taken(snapshotAfter(1), ...events)).toMatchObject({ endedRuns: 1 })
    expect(taken(snapshotAfter(2), snapshotAfter(4))).toMatchObject({ endedRuns: 1 })
  })
})

describe('an address', () => {
  test.each([
    ['/', '', { page: 'overview' }],
    ['/sessions/a%20b', '', { page: 'session', id: 'a b' }],
    ['/sessions/s/', '#m=m-1', { page: 'session', id: 's', messageId: 'm-1' }],
    ['/sessions/', '', { page: 'missing' }],
    ['/sessions/%E0%A4%A', '', { page: 'missing' }],
    ['/elsewhere', '', { page: 'missing' }],
  ])('%s%s', (pathname, hash, route) => {
    expect(routeOf({ pathname, hash })).toEqual(route)
  })

  test('of a message leads back to it', () => {
    const url = new URL(sessionPath('a/b', 'm&1'), 'http://localhost')
    expect(routeOf(url)).toEqual({ page: 'session', id: 'a/b', messageId: 'm&1' })
  })
})

test('sessions stand under their project, those that changed last first', () => {
  const session = (id: string, projectId: string, updatedAt: number) => ({
    id,
    projectId,
    updatedAt,
    agent: 'demo',
    cwd: '/',
    state: 'idle' as const,
    createdAt: 0,
  })
  const [a, b, c] = [session('a', 'p', 1), session('b', 'q', 3), session('c', 'p', 2)]
  const shown = (...sessions: Parameters<typeof groupByProject>[0]) =>
    groupByProject(sessions).map(({ projectId, sessions }) => [
      projectId,
      sessions.map(({ id }) => id),
    ])
  expect(shown(a, b, c)).toEqual([
    ['q', ['b']],
    ['p', ['c', 'a']],
  ])
  // What needs a person comes first.
  expect(shown({ ...a, pendingApprovals: 1 }, b, { ...c, pendingApprovals: 0 })).toEqual([
    ['p', ['a', 'c']],
    ['q', ['b']],
  ])
})

describe('a list that grows', () => {
  /** Like an element: its place cannot be beyond its end. */
  const list = () => {
    let top = 0
    return {
      scrollHeight: 1000,
      clientHeight: 400,
      get scrollTop() {
        return top
      },
      set scrollTop(wanted: number) {
        top = Math.min(wanted, this.scrollHeight - this.clientHeight)
      },
    }
  }

  test('is kept at its end, until the reader goes up', () => {
    const changes: boolean[] = []
    const stickiness = createStickToEnd((isAtEnd) => changes.push(isAtEnd))
    const box = list()
    stickiness.follow(box)
    box.scrollHeight = 1500
    stickiness.follow(box)
    expect(box.scrollTop).toBe(1100)
    stickiness.moved(box)
    // The reader has moved it, and it grows before anybody was told.
    stickiness.touched()
    box.scrollTop -= 200
    box.scrollHeight = 1800
    stickiness.follow(box)
    expect(box.scrollTop).toBe(900)
    expect(changes).toEqual([false])
    stickiness.stick(box)
    expect(box.scrollTop).toBe(1400)
    expect(changes).toEqual([false, true])
  })

  test('comes back to its end when it moves by itself; once calm, only a reader moves it', () => {
    const changes: boolean[] = []
    let now = 0
    const stickiness = createStickToEnd(
      (isAtEnd) => changes.push(isAtEnd),
      () => now,
    )
    const box = list()
    stickiness.follow(box)
    // Rows above were measured and are lower than was thought.
    box.scrollHeight = 1200
    box.scrollTop = 500
    stickiness.moved(box)
    expect(box.scrollTop).toBe(800)
    box.scrollTop = 600
    stickiness.moved(box)
    expect(box.scrollTop).toBe(800)
    expect(changes).toEqual([])
    now += 1000
    box.scrollTop = 600
    stickiness.moved(box)
    expect(box.scrollTop).toBe(600)
    expect(changes).toEqual([false])
  })
})
