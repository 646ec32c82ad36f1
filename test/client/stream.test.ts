import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { createClock } from './support/clock.ts'
import { eventAt, frame, frames, heartbeat, resumed, snapshotAt } from './support/frames.ts'
import { openReader } from './support/reader.ts'
import { openServer } from './support/server.ts'
import { until } from './support/until.ts'

test('a snapshot, then what happens, asked for with the token', async () => {
  await using server = await openServer()
  await using reader = openReader(server)
  const visit = await server.visit()
  expect(visit.path).toBe('/api/v1/sessions/s/stream')
  expect(visit.headers).toMatchObject({
    authorization: 'Bearer secret',
    accept: 'text/event-stream',
  })
  expect(visit.headers['last-event-id']).toBeUndefined()
  visit.send(frames(snapshotAt(4), eventAt(5)))
  await until(() => reader.events.length === 2)
  expect(reader.events).toEqual([snapshotAt(4), eventAt(5)])
  visit.send(frame(eventAt(6)))
  await until(() => reader.events.length === 3)
  expect(reader.states).toEqual([{ status: 'connecting', attempt: 0 }, { status: 'live' }])
})

test('what is no event, and what is not known, is passed over', async () => {
  await using server = await openServer()
  await using reader = openReader(server)
  const visit = await server.visit()
  visit.send(
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

test('however the bytes are cut, and whichever line ends are used, the events are the same', async () => {
  await using server = await openServer()
  const told = { ...eventAt(5), message: 'naïve 👩‍👩‍👧 \u2028 text' }
  const text = `\uFEFF${frames(snapshotAt(4))}${heartbeat}${frame(told)}`
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
  const cuts = fc.uniqueArray(fc.nat({ max: 2400 }), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(lineEnd, cuts, async (end, places) => {
      await using reader = openReader(server)
      const visit = await server.visit()
      const bytes = Buffer.from(text.replaceAll('\n', end))
      let from = 0
      for (const place of [...places.sort((left, right) => left - right), bytes.length]) {
        visit.send(bytes.subarray(from, place))
        from = Math.max(from, place)
        await new Promise((resolve) => setImmediate(resolve))
      }
      // A carriage return may be half of a line end: what follows it tells.
      visit.send(heartbeat)
      await until(() => reader.events.length === 2)
      expect(reader.events).toEqual([snapshotAt(4), told])
    }),
    { numRuns: 60 },
  )
})

test('a connection that is cut in a frame goes on behind the last whole event', async () => {
  await using server = await openServer()
  await using reader = openReader(server)
  const first = await server.visit()
  first.send(frames(snapshotAt(4), eventAt(5)), frame(eventAt(6)).slice(0, -20))
  await until(() => reader.events.length === 2)
  first.cut()
  expect(await reader.waiting()).toMatchObject({ delayMs: 1000, error: { code: 'unreachable' } })
  reader.clock.advance(1000)
  const second = await server.visit()
  expect(second.headers['last-event-id']).toBe('5')
  // What overlaps is not seen twice.
  second.send(frames(resumed(5), eventAt(5), eventAt(6), eventAt(7)))
  await until(() => reader.events.length === 5)
  expect(reader.seen()).toEqual(['snapshot', 5, 'resume', 6, 7])
})

test('a gap is closed by a snapshot, and the cursor is the snapshot’s, even if it is lower', async () => {
  await using server = await openServer()
  await using reader = openReader(server, { after: 90 })
  const first = await server.visit()
  expect(first.headers['last-event-id']).toBe('90')
  first.send(frames(resumed(90, 'gap'), snapshotAt(3), eventAt(4)))
  first.end()
  expect(await reader.waiting()).toMatchObject({ error: { code: 'closed' } })
  reader.clock.advance(1000)
  const second = await server.visit()
  expect(second.headers['last-event-id']).toBe('4')
  expect(reader.seen()).toEqual(['resume', 'snapshot', 4])
})

test('an event that is not known is behind the cursor all the same', async () => {
  await using server = await openServer()
  await using reader = openReader(server)
  const first = await server.visit()
  first.send(frame({ type: 'from_the_future' }, 3), frame(snapshotAt(4)))
  first.send(frame({ type: 'from_the_future' }, 8))
  first.end()
  await reader.waiting()
  reader.clock.advance(1000)
  expect((await server.visit()).headers['last-event-id']).toBe('8')
})

test('a reader that was too slow comes back at once with its cursor', async () => {
  await using server = await openServer()
  await using reader = openReader(server)
  const first = await server.visit()
  first.send(frames(snapshotAt(4), eventAt(5)), frame({ type: 'slow_consumer', after: 5 }))
  first.end()
  const second = await server.visit()
  expect(second.headers['last-event-id']).toBe('5')
  expect(reader.states.map(({ status }) => status)).toEqual(['connecting', 'live', 'connecting'])
  // Where nothing else came, at once would be for ever.
  second.send(frames(resumed(5)), frame({ type: 'slow_consumer', after: 5 }))
  second.end()
  expect(await reader.waiting()).toMatchObject({ delayMs: 1000 })
})

test('the signal ends the stream without an error, and the connection with it', async () => {
  await using server = await openServer()
  const closing = new AbortController()
  await using reader = openReader(server, { signal: closing.signal })
  const visit = await server.visit()
  visit.send(frame(snapshotAt(4)))
  await until(() => reader.events.length === 1)
  closing.abort(new Error('somebody’s own reason'))
  expect(await reader.done).toBeUndefined()
  await visit.closed
  expect(reader.states.at(-1)).toEqual({ status: 'stopped' })
  expect(reader.clock.left()).toEqual([])
})

test('the signal ends a wait too', async () => {
  await using server = await openServer()
  const closing = new AbortController()
  await using reader = openReader(server, { signal: closing.signal })
  const visit = await server.visit()
  visit.cut()
  await reader.waiting()
  closing.abort()
  expect(await reader.done).toBeUndefined()
  expect(reader.clock.left()).toEqual([])
  expect(reader.clock.sleepers()).toBe(0)
})

test('a signal that was set off before asks for nothing', async () => {
  await using server = await openServer()
  await using reader = openReader(server, { signal: AbortSignal.abort() })
  expect(await reader.done).toBeUndefined()
  expect(server.unseen()).toBe(0)
})

test('whoever stops reading closes the connection', async () => {
  await using server = await openServer()
  const { platform } = createClock()
  const client = createClient({ url: server.url, ...platform })
  const reading = (async () => {
    for await (const event of client.sessions.stream('s')) return event
    return undefined
  })()
  const visit = await server.visit()
  expect(visit.headers.authorization).toBeUndefined()
  visit.send(frames(snapshotAt(4), eventAt(5)))
  expect(await reading).toEqual(snapshotAt(4))
  await visit.closed
})
