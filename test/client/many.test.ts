import { expect, test } from 'vitest'
import type { ManyEvent, ManyStreamOptions } from '../../src/client/index.ts'
import { createClient } from '../../src/client/index.ts'
import { emptyTotals } from '../../src/events/usage-sums.ts'
import { createClock } from './support/clock.ts'
import { eventAt, frame, frames, resumed, snapshotAt } from './support/frames.ts'
import { openServer, type TestServer } from './support/server.ts'
import { until } from './support/until.ts'

const totals = { sessions: 0, running: 0, approvals: 0, usage: emptyTotals() }
const overview = { type: 'overview', sessions: [], approvals: [], totals }

const asking = (sessionId: string, seq: number) => ({
  type: 'approval_request',
  kind: 'tool',
  approvalId: `${sessionId}-${seq}`,
  deadline: 9,
  sessionId,
  seq,
  timestamp: 1,
})

const openMany = (server: TestServer, options: ManyStreamOptions) => {
  const clock = createClock()
  const closing = new AbortController()
  const events: ManyEvent[] = []
  const client = createClient({ url: server.url, ...clock.platform })
  const stream = client.stream({ signal: closing.signal, ...options })
  const read = async (): Promise<unknown> => {
    try {
      for await (const event of stream) events.push(event)
      return undefined
    } catch (cause) {
      return cause
    }
  }
  const done = read()
  return {
    clock,
    stream,
    done,
    seen: () =>
      events.map((event) => {
        const session = 'sessionId' in event ? `${event.sessionId} ` : ''
        return event.type === 'error' ? `${session}${event.seq}` : `${session}${event.type}`
      }),
    async [Symbol.asyncDispose](): Promise<void> {
      closing.abort()
      await done
    },
  }
}

test('an overview, snapshots of the named sessions, their events, and approvals of all', async () => {
  await using server = await openServer()
  await using many = openMany(server, { sessions: ['a', 'b'] })
  const visit = await server.visit()
  expect(visit.path).toBe('/api/v1/stream?sessions=a%2Cb')
  expect(visit.headers['last-event-id']).toBeUndefined()
  visit.send(
    frame(overview),
    frame(snapshotAt(3, 'a'), 'a:3'),
    frame(snapshotAt(8, 'b'), 'a:3,b:8'),
    frames(eventAt(4, 'a'), eventAt(9, 'b'), eventAt(9, 'b')),
    frames(eventAt(1, 'c'), snapshotAt(1, 'c')),
    frames(asking('c', 5), asking('c', 4), asking('a', 5), asking('a', 5)),
    frame({ type: 'totals', totals }),
    frame({ type: 'totals', totals: 'in a form that is not known' }),
  )
  await until(() => many.seen().includes('totals'))
  expect(many.seen()).toEqual([
    'overview',
    'a snapshot',
    'b snapshot',
    'a 4',
    'b 9',
    'c approval_request',
    'c approval_request',
    'a approval_request',
    'totals',
  ])
})

test('comes back with a cursor for each session', async () => {
  await using server = await openServer()
  await using many = openMany(server, {
    sessions: new Map([
      ['a', 2],
      ['b', undefined],
    ]),
  })
  const first = await server.visit()
  expect(first.headers['last-event-id']).toBe('a:2')
  first.send(frame(overview), frame({ ...resumed(2), sessionId: 'a' }), frame(eventAt(3, 'a')))
  first.send(frame(snapshotAt(8, 'b')), frame({ type: 'from_the_future' }, 'a:4,b:8,c:7'))
  first.end()
  await until(() => many.clock.left().includes(1000))
  many.clock.advance(1000)
  const second = await server.visit()
  expect(second.headers['last-event-id']).toBe('a:4,b:8')
})

test('other sessions: opened anew at once, and those that stay go on', async () => {
  await using server = await openServer()
  await using many = openMany(server, { sessions: ['a', 'b'] })
  const first = await server.visit()
  first.send(frame(overview), frame(snapshotAt(3, 'a')), frame(snapshotAt(8, 'b')))
  await until(() => many.seen().length === 3)
  many.stream.setSessions(['a'])
  many.stream.setSessions(
    new Map([
      ['a', 1],
      ['c', 5],
    ]),
  )
  await first.closed
  const second = await server.visit()
  expect(second.path).toBe('/api/v1/stream?sessions=a%2Cc')
  expect(second.headers['last-event-id']).toBe('a:3,c:5')
  // The same again costs nothing; nor does a session that is removed.
  many.stream.setSessions(['c', 'a'])
  second.send(frame({ type: 'session_removed', sessionId: 'c' }), frame(eventAt(6, 'c')))
  await until(() => many.seen().includes('c session_removed'))
  many.stream.setSessions(['a'])
  second.send(frame(eventAt(4, 'a')))
  await until(() => many.seen().includes('a 4'))
  expect(many.seen()).not.toContain('c 6')
  expect(server.unseen()).toBe(0)
})

test('a session that is not there costs the others nothing', async () => {
  await using server = await openServer()
  await using many = openMany(server, { sessions: ['a', 'b'] })
  const problem = { type: 'x', title: 'x', status: 404, code: 'unknown_session', detail: 'No.' }
  const first = await server.visit()
  first.json({ ...problem, sessionId: 'b' }, 404)
  const second = await server.visit()
  expect(second.path).toBe('/api/v1/stream?sessions=a')
  second.json(problem, 404)
  expect(await many.done).toMatchObject({ status: 404 })
})
