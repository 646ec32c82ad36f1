import { expect, test } from 'vitest'
import type { ManyEvent, ManyStreamOptions } from '../../src/client/index.ts'
import { createClient } from '../../src/client/index.ts'
import { emptyTotals } from '../../src/events/usage-sums.ts'
import { createClock } from './support/clock.ts'
import { eventAt, frame, frames, resumeAt, snapshotAt } from './support/frames.ts'
import { openScriptedServer, type ScriptedServer } from './support/scripted-server.ts'
import { until } from './support/until.ts'

const totals = { sessions: 0, running: 0, approvals: 0, usage: emptyTotals() }
const overview = { type: 'overview', sessions: [], approvals: [], totals }

const approvalRequest = (sessionId: string, seq: number) => ({
  type: 'approval_request',
  kind: 'tool',
  approvalId: `${sessionId}-${seq}`,
  deadline: 9,
  hash: 'h',
  sessionId,
  seq,
  timestamp: 1,
})

const openMany = (server: ScriptedServer, options: ManyStreamOptions) => {
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

test('yields the overview, snapshots and events of the chosen sessions, and approvals of all', async () => {
  await using server = await openScriptedServer()
  await using many = openMany(server, { sessions: ['a', 'b'] })
  const request = await server.nextRequest()
  expect(request.path).toBe('/api/v1/stream?sessions=a%2Cb')
  expect(request.headers['last-event-id']).toBeUndefined()
  request.send(
    frame(overview),
    frame(snapshotAt(3, 'a'), 'a:3'),
    frame(snapshotAt(8, 'b'), 'a:3,b:8'),
    frames(eventAt(4, 'a'), eventAt(9, 'b'), eventAt(9, 'b')),
    frames(eventAt(1, 'c'), snapshotAt(1, 'c')),
    frames(
      approvalRequest('c', 5),
      approvalRequest('c', 4),
      approvalRequest('a', 5),
      approvalRequest('a', 5),
    ),
    frame({ type: 'totals', totals }),
    frame({ type: 'totals', totals: 'not an object' }),
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

test('resumes with a cursor for each session', async () => {
  await using server = await openScriptedServer()
  await using many = openMany(server, {
    sessions: new Map([
      ['a', 2],
      ['b', undefined],
    ]),
  })
  const first = await server.nextRequest()
  expect(first.headers['last-event-id']).toBe('a:2')
  first.send(frame(overview), frame({ ...resumeAt(2), sessionId: 'a' }), frame(eventAt(3, 'a')))
  first.send(frame(snapshotAt(8, 'b')), frame({ type: 'from_the_future' }, 'a:4,b:8,c:7'))
  first.end()
  await until(() => many.clock.timeLeft().includes(1000))
  many.clock.advance(1000)
  const second = await server.nextRequest()
  expect(second.headers['last-event-id']).toBe('a:4,b:8')
})

test('setSessions reconnects at once, and sessions that stay continue', async () => {
  await using server = await openScriptedServer()
  await using many = openMany(server, { sessions: ['a', 'b'] })
  const first = await server.nextRequest()
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
  const second = await server.nextRequest()
  expect(second.path).toBe('/api/v1/stream?sessions=a%2Cc')
  expect(second.headers['last-event-id']).toBe('a:3,c:5')
  // The same sessions need no new connection, nor does one that was deleted.
  many.stream.setSessions(['c', 'a'])
  second.send(frame({ type: 'session_removed', sessionId: 'c' }), frame(eventAt(6, 'c')))
  await until(() => many.seen().includes('c session_removed'))
  many.stream.setSessions(['a'])
  second.send(frame(eventAt(4, 'a')))
  await until(() => many.seen().includes('a 4'))
  expect(many.seen()).not.toContain('c 6')
  expect(server.waitingRequests()).toBe(0)
})

test('a session that does not exist is dropped, and the others continue', async () => {
  await using server = await openScriptedServer()
  await using many = openMany(server, { sessions: ['a', 'b'] })
  const problem = { type: 'x', title: 'x', status: 404, code: 'unknown_session', detail: 'No.' }
  const first = await server.nextRequest()
  first.json({ ...problem, sessionId: 'b' }, 404)
  const second = await server.nextRequest()
  expect(second.path).toBe('/api/v1/stream?sessions=a')
  second.json(problem, 404)
  expect(await many.done).toMatchObject({ status: 404 })
})
