import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { createClock } from './support/clock.ts'
import { eventAt, frame, frames, heartbeat, resumeAt, snapshotAt } from './support/frames.ts'
import { openReader } from './support/reader.ts'
import { openScriptedServer } from './support/scripted-server.ts'
import { until } from './support/until.ts'

test('sends the token, and yields a snapshot and the events after it', async () => {
  await using server = await openScriptedServer()
  await using reader = openReader(server)
  const request = await server.nextRequest()
  expect(request.path).toBe('/api/v1/sessions/s/stream')
  expect(request.headers).toMatchObject({
    authorization: 'Bearer secret',
    accept: 'text/event-stream',
  })
  expect(request.headers['last-event-id']).toBeUndefined()
  request.send(frames(snapshotAt(4), eventAt(5)))
  await until(() => reader.events.length === 2)
  expect(reader.events).toEqual([snapshotAt(4), eventAt(5)])
  request.send(frame(eventAt(6)))
  await until(() => reader.events.length === 3)
  expect(reader.states).toEqual([{ status: 'connecting', attempt: 0 }, { status: 'live' }])
})

test('skips frames without an event, and events that are not recognised', async () => {
  await using server = await openScriptedServer()
  await using reader = openReader(server)
  const request = await server.nextRequest()
  request.send(
    heartbeat,
    'event: odd\n\n',
    'data: {broken\n\n',
    'data: "text"\n\n',
    'data: null\n\n',
    frame({ type: 'from_the_future', sessionId: 's', seq: 9 }),
    frame({ type: 'agent_start', sessionId: 's' }),
    frame({ type: 'agent_start', sessionId: 's', seq: '5' }),
    frame({ ...snapshotAt(4), extra: 'a field of a newer server' }),
    frame({ type: 'overview', sessions: [] }),
    frame(eventAt(5)),
  )
  await until(() => reader.events.length === 2)
  expect(reader.seen()).toEqual(['snapshot', 5])
  expect(reader.events[0]).toHaveProperty('extra')
})

test('yields the same events for any chunks and line ends', async () => {
  await using server = await openScriptedServer()
  const event = { ...eventAt(5), message: 'naïve 👩‍👩‍👧 \u2028 text' }
  const text = `\uFEFF${frames(snapshotAt(4))}${heartbeat}${frame(event)}`
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
  const cuts = fc.uniqueArray(fc.nat({ max: 2400 }), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(lineEnd, cuts, async (end, cutsAt) => {
      await using reader = openReader(server)
      const request = await server.nextRequest()
      const bytes = Buffer.from(text.replaceAll('\n', end))
      let from = 0
      for (const to of [...cutsAt.sort((left, right) => left - right), bytes.length]) {
        request.send(bytes.subarray(from, to))
        from = Math.max(from, to)
        await new Promise((resolve) => setImmediate(resolve))
      }
      // A carriage return may be half of a line end: the parser waits for the next byte.
      request.send(heartbeat)
      await until(() => reader.events.length === 2)
      expect(reader.events).toEqual([snapshotAt(4), event])
    }),
    { numRuns: 60 },
  )
})

test('resumes after the last complete event when a frame is cut', async () => {
  await using server = await openScriptedServer()
  await using reader = openReader(server)
  const first = await server.nextRequest()
  first.send(frames(snapshotAt(4), eventAt(5)), frame(eventAt(6)).slice(0, -20))
  await until(() => reader.events.length === 2)
  first.cut()
  expect(await reader.waiting()).toMatchObject({ delayMs: 1000, error: { code: 'unreachable' } })
  reader.clock.advance(1000)
  const second = await server.nextRequest()
  expect(second.headers['last-event-id']).toBe('5')
  // Repeated events are dropped.
  second.send(frames(resumeAt(5), eventAt(5), eventAt(6), eventAt(7)))
  await until(() => reader.events.length === 5)
  expect(reader.seen()).toEqual(['snapshot', 5, 'resume', 6, 7])
})

test('continues from the snapshot after a gap, even when its seq is lower', async () => {
  await using server = await openScriptedServer()
  await using reader = openReader(server, { after: 90 })
  const first = await server.nextRequest()
  expect(first.headers['last-event-id']).toBe('90')
  first.send(frames(resumeAt(90, 'gap'), snapshotAt(3), eventAt(4)))
  first.end()
  expect(await reader.waiting()).toMatchObject({ error: { code: 'closed' } })
  reader.clock.advance(1000)
  const second = await server.nextRequest()
  expect(second.headers['last-event-id']).toBe('4')
  expect(reader.seen()).toEqual(['resume', 'snapshot', 4])
})

test('moves the cursor past events that are not recognised', async () => {
  await using server = await openScriptedServer()
  await using reader = openReader(server)
  const first = await server.nextRequest()
  first.send(frame({ type: 'from_the_future' }, 3), frame(snapshotAt(4)))
  first.send(frame({ type: 'from_the_future' }, 8))
  first.end()
  await reader.waiting()
  reader.clock.advance(1000)
  expect((await server.nextRequest()).headers['last-event-id']).toBe('8')
})

test('resumes at once after slow_consumer', async () => {
  await using server = await openScriptedServer()
  await using reader = openReader(server)
  const first = await server.nextRequest()
  first.send(frames(snapshotAt(4), eventAt(5)), frame({ type: 'slow_consumer', after: 5 }))
  first.end()
  const second = await server.nextRequest()
  expect(second.headers['last-event-id']).toBe('5')
  expect(reader.states.map(({ status }) => status)).toEqual(['connecting', 'live', 'connecting'])
  // Without any other event, it would reconnect for ever.
  second.send(frames(resumeAt(5)), frame({ type: 'slow_consumer', after: 5 }))
  second.end()
  expect(await reader.waiting()).toMatchObject({ delayMs: 1000 })
})

test('the signal ends the stream without an error, and closes the connection', async () => {
  await using server = await openScriptedServer()
  const closing = new AbortController()
  await using reader = openReader(server, { signal: closing.signal })
  const request = await server.nextRequest()
  request.send(frame(snapshotAt(4)))
  await until(() => reader.events.length === 1)
  closing.abort(new Error('somebody’s own reason'))
  expect(await reader.done).toBeUndefined()
  await request.closed
  expect(reader.states.at(-1)).toEqual({ status: 'stopped' })
  expect(reader.clock.timeLeft()).toEqual([])
})

test('the signal ends a delay, too', async () => {
  await using server = await openScriptedServer()
  const closing = new AbortController()
  await using reader = openReader(server, { signal: closing.signal })
  const request = await server.nextRequest()
  request.cut()
  await reader.waiting()
  closing.abort()
  expect(await reader.done).toBeUndefined()
  expect(reader.clock.timeLeft()).toEqual([])
  expect(reader.clock.activeListeners()).toBe(0)
})

test('an aborted signal sends no request', async () => {
  await using server = await openScriptedServer()
  await using reader = openReader(server, { signal: AbortSignal.abort() })
  expect(await reader.done).toBeUndefined()
  expect(server.waitingRequests()).toBe(0)
})

test('a reader that stops closes the connection', async () => {
  await using server = await openScriptedServer()
  const { platform } = createClock()
  const client = createClient({ url: server.url, ...platform })
  const reading = (async () => {
    for await (const event of client.sessions.stream('s')) return event
    return undefined
  })()
  const request = await server.nextRequest()
  expect(request.headers.authorization).toBeUndefined()
  request.send(frames(snapshotAt(4), eventAt(5)))
  expect(await reading).toEqual(snapshotAt(4))
  await request.closed
})
