import { afterEach, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { defaultPlatform } from '../../src/client/platform.ts'
import { retryDelay } from '../../src/client/stream/backoff.ts'
import { createClock } from './support/clock.ts'
import { eventAt, frame, frames, heartbeat, snapshotAt } from './support/frames.ts'
import { openReader } from './support/reader.ts'
import { openScriptedServer } from './support/scripted-server.ts'
import { until } from './support/until.ts'

describe('the delay before a retry', () => {
  test('is 1, 2, 4, 8, 16, 30, 30 s, a quarter more or less, and never over 30 s', () => {
    const waits = (random: number) =>
      [0, 1, 2, 3, 4, 5, 6, 99].map((attempt) => retryDelay(attempt, random) / 1000)
    expect(waits(0.5)).toEqual([1, 2, 4, 8, 16, 26.25, 26.25, 26.25])
    expect(waits(0)).toEqual([0.75, 1.5, 3, 6, 12, 22.5, 22.5, 22.5])
    expect(waits(1)).toEqual([1.25, 2.5, 5, 10, 20, 30, 30, 30])
  })

  test('follows the server: `retry` for the first try, Retry-After as the least', () => {
    expect(retryDelay(0, 0.5, { retryMs: 200 })).toBe(200)
    expect(retryDelay(0, 1, { retryMs: 3_600_000 })).toBe(30_000)
    expect(retryDelay(1, 0.5, { retryMs: 200 })).toBe(2000)
    expect(retryDelay(0, 0.5, { retryAfter: 20 })).toBe(20_000)
    expect(retryDelay(5, 1, { retryAfter: 20 })).toBe(30_000)
    expect(retryDelay(0, 0.5, { retryAfter: 1e9 })).toBe(300_000)
  })

  test('grows with each try, and is short again after the first event', async () => {
    await using server = await openScriptedServer()
    await using reader = openReader(server)
    const delays: number[] = []
    for (let attempt = 1; attempt <= 7; attempt += 1) {
      const request = await server.nextRequest()
      request.cut()
      const waiting = await reader.waiting()
      expect(waiting.attempt).toBe(attempt)
      delays.push(waiting.delayMs)
      reader.clock.advance(waiting.delayMs - 1)
      expect(reader.states.at(-1)?.status).toBe('waiting')
      reader.clock.advance(1)
    }
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 26_250, 26_250])
    const request = await server.nextRequest()
    expect(reader.states.at(-1)).toEqual({ status: 'connecting', attempt: 7 })
    // A heartbeat is not an event.
    request.send(heartbeat)
    request.send(frame(snapshotAt(1)))
    await reader.status('live')
    request.cut()
    expect(await reader.waiting()).toMatchObject({ attempt: 1, delayMs: 1000 })
  })

  test('is that of `retry` when the server ends the stream', async () => {
    await using server = await openScriptedServer()
    await using reader = openReader(server)
    const request = await server.nextRequest()
    request.send(frame(snapshotAt(1)), 'retry: 250\n\n')
    request.end()
    expect(await reader.waiting()).toMatchObject({ delayMs: 250 })
  })
})

describe('refusals', () => {
  test.each([401, 403, 404, 410])('%i ends the stream with the error', async (status) => {
    await using server = await openScriptedServer()
    await using reader = openReader(server)
    const request = await server.nextRequest()
    request.json({ type: 'x', title: 'x', status, code: 'why', detail: 'Because.' }, status)
    const error = await reader.done
    expect(error).toMatchObject({ name: 'ApiError', status, code: 'why', detail: 'Because.' })
    expect(reader.states.at(-1)).toEqual({ status: 'stopped', error })
    expect(server.waitingRequests()).toBe(0)
  })

  test('401 on a reconnect ends the stream, such as when the token expires', async () => {
    await using server = await openScriptedServer()
    await using reader = openReader(server)
    const first = await server.nextRequest()
    first.send(frames(snapshotAt(1), eventAt(2)))
    first.end()
    reader.clock.advance((await reader.waiting()).delayMs)
    const second = await server.nextRequest()
    second.json({}, 401)
    expect(await reader.done).toMatchObject({ status: 401, code: 'http_401' })
    expect(reader.seen()).toEqual(['snapshot', 2])
  })

  test.each([400, 408, 429, 500, 502, 503])('%i is retried', async (status) => {
    await using server = await openScriptedServer()
    await using reader = openReader(server)
    const request = await server.nextRequest()
    request.json({}, status, { 'retry-after': '7' })
    expect(await reader.waiting()).toMatchObject({
      delayMs: 7000,
      error: { status, retryAfter: 7 },
    })
    reader.clock.advance(7000)
    await server.nextRequest()
  })

  test('a response that is not a stream is retried', async () => {
    await using server = await openScriptedServer()
    await using reader = openReader(server)
    const request = await server.nextRequest()
    request.json({ welcome: 'to the hotel’s network' })
    expect(await reader.waiting()).toMatchObject({ error: { code: 'bad_answer' } })
  })

  test('a server that cannot be reached is retried until it can', async () => {
    const { port, url, ...before } = await openScriptedServer()
    await before[Symbol.asyncDispose]()
    await using reader = openReader({ url })
    expect(await reader.waiting()).toMatchObject({ error: { status: 0, code: 'unreachable' } })
    await using server = await openScriptedServer(port)
    reader.clock.advance(1000)
    const request = await server.nextRequest()
    request.send(frame(snapshotAt(1)))
    await reader.status('live')
  })
})

describe('a dead connection', () => {
  test('is detected after 40 s without a byte; heartbeats count', async () => {
    await using server = await openScriptedServer()
    await using reader = openReader(server)
    const first = await server.nextRequest()
    first.send(frame(snapshotAt(1)))
    await reader.status('live')
    for (let beat = 0; beat < 4; beat += 1) {
      await until(() => reader.clock.timeLeft().includes(40_000))
      reader.clock.advance(30_000)
      first.send(heartbeat)
    }
    await until(() => reader.clock.timeLeft().includes(40_000))
    expect(reader.states).toHaveLength(2)
    reader.clock.advance(39_999)
    expect(reader.states).toHaveLength(2)
    reader.clock.advance(1)
    expect(await reader.waiting()).toMatchObject({ error: { code: 'silent' } })
    await first.closed
    reader.clock.advance(1000)
    expect((await server.nextRequest()).headers['last-event-id']).toBe('1')
  })

  test('is detected before the response, too', async () => {
    await using server = await openScriptedServer()
    await using reader = openReader(server)
    await server.nextRequest()
    reader.clock.advance(40_000)
    expect(await reader.waiting()).toMatchObject({ error: { code: 'silent' } })
  })

  test('is not assumed while the reader pauses', async () => {
    await using server = await openScriptedServer()
    const clock = createClock()
    const client = createClient({ url: server.url, ...clock.platform })
    const stream = client.sessions.stream('s')
    const first = stream.next()
    const request = await server.nextRequest()
    request.send(frame(snapshotAt(1)))
    expect(await first).toEqual({ done: false, value: snapshotAt(1) })
    expect(clock.timeLeft()).toEqual([])
    clock.advance(3_600_000)
    request.send(frame(eventAt(2)))
    expect(await stream.next()).toEqual({ done: false, value: eventAt(2) })
    await stream.return()
    await request.closed
  })
})

describe('a page that becomes active', () => {
  test('reconnects without waiting', async () => {
    await using server = await openScriptedServer()
    await using reader = openReader(server)
    const first = await server.nextRequest()
    first.cut()
    await reader.waiting()
    reader.clock.activate()
    await server.nextRequest()
    expect(reader.clock.activeListeners()).toBe(1)
  })

  test('replaces a connection that has missed a heartbeat', async () => {
    await using server = await openScriptedServer()
    await using reader = openReader(server)
    const first = await server.nextRequest()
    first.send(frame(snapshotAt(1)))
    await reader.status('live')
    await until(() => reader.clock.timeLeft().includes(40_000))
    reader.clock.advance(15_000)
    first.send(heartbeat)
    await until(() => reader.clock.timeLeft().includes(40_000))
    reader.clock.advance(20_000)
    reader.clock.activate()
    first.send(frame(eventAt(2)))
    await until(() => reader.events.length === 2)
    await until(() => reader.clock.timeLeft().includes(40_000))
    reader.clock.advance(20_001)
    reader.clock.activate()
    expect((await server.nextRequest()).headers['last-event-id']).toBe('2')
    expect(reader.states.map(({ status }) => status)).toEqual(['connecting', 'live', 'connecting'])
  })

  describe('in a browser', () => {
    afterEach(() => {
      Reflect.deleteProperty(globalThis, 'document')
    })

    test('is one that becomes visible', () => {
      const page = Object.assign(new EventTarget(), { visibilityState: 'hidden' })
      Object.assign(globalThis, { document: page })
      let runs = 0
      const undo = defaultPlatform.onActive(() => {
        runs += 1
      })
      page.dispatchEvent(new Event('visibilitychange'))
      expect(runs).toBe(0)
      page.visibilityState = 'visible'
      page.dispatchEvent(new Event('visibilitychange'))
      expect(runs).toBe(1)
      undo()
      page.dispatchEvent(new Event('visibilitychange'))
      expect(runs).toBe(1)
    })
  })
})
