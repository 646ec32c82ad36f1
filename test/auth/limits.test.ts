import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createBodyBudget } from '../../src/auth/limits/body-budget.ts'
import { callerOf } from '../../src/auth/limits/caller.ts'
import { readBody } from '../../src/auth/limits/read-body.ts'
import { createRequestRate } from '../../src/auth/limits/request-rate.ts'
import { createStreamCount } from '../../src/auth/limits/stream-count.ts'
import { Problem } from '../../src/shared/problem.ts'
import { startMemoryServer } from '../support/memory-server.ts'
import { openRawSocket, requestHead } from '../support/raw-socket.ts'
import { createClock } from './samples.ts'

describe('request rate', () => {
  const isAllowed = (consume: () => void): boolean => {
    try {
      consume()
      return true
    } catch (cause) {
      expect(cause).toMatchObject({ status: 429, code: 'rate_limited' })
      return false
    }
  }

  test('a burst passes, then the refill rate applies, and Retry-After says when', () => {
    const clock = createClock()
    const rate = createRequestRate({ burst: 3, perSecond: 0.5, now: clock.now })
    const request = () => isAllowed(() => rate.consume('a'))
    expect([request(), request(), request(), request()]).toEqual([true, true, true, false])
    expect(() => rate.consume('a')).toThrow(
      expect.objectContaining({ headers: { 'Retry-After': '2' }, extra: { retryAfter: 2 } }),
    )
    clock.move(1999)
    expect(request()).toBe(false)
    clock.move(1)
    expect([request(), request()]).toEqual([true, false])
    expect(isAllowed(() => rate.consume('b'))).toBe(true) // every caller has a bucket
    clock.move(3_600_000)
    expect([request(), request(), request(), request()]).toEqual([true, true, true, false])
  })

  test('a caller that waits for Retry-After is allowed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.double({ min: 0.01, max: 1000, noNaN: true }),
        fc.array(fc.nat({ max: 3000 }), { maxLength: 100 }),
        (burst, perSecond, pauses) => {
          const clock = createClock()
          const rate = createRequestRate({ burst, perSecond, now: clock.now })
          for (const pause of pauses) {
            clock.move(pause)
            try {
              rate.consume('a')
            } catch (cause) {
              if (!(cause instanceof Problem)) throw cause
              const seconds = Number(cause.headers['Retry-After'])
              expect(seconds).toBeGreaterThanOrEqual(1)
              clock.move(seconds * 1000)
              rate.consume('a')
            }
          }
        },
      ),
    )
  })

  test('never more than the burst and the refill pass, whatever the clock does', () => {
    const moves = fc.array(fc.integer({ min: -5000, max: 5000 }), { maxLength: 200 })
    fc.assert(
      fc.property(moves, (steps) => {
        const clock = createClock()
        const rate = createRequestRate({ burst: 5, perSecond: 2, now: clock.now })
        let passed = 0
        let allowed = 0
        for (const step of steps) {
          clock.move(step)
          passed += Math.max(0, step)
          if (isAllowed(() => rate.consume('a'))) allowed += 1
        }
        expect(allowed).toBeLessThanOrEqual(5 + (passed / 1000) * 2)
      }),
    )
  })

  test('a bounded number of callers is remembered, the latest ones', () => {
    const rate = createRequestRate({ burst: 1, perSecond: 0.001, callers: 100 })
    rate.consume('busy')
    for (let index = 0; index < 1000; index += 1) {
      rate.consume(`caller ${index}`)
      expect(isAllowed(() => rate.consume('busy'))).toBe(false)
    }
    expect(rate.size()).toBe(100)
  })
})

describe('callers', () => {
  test.each([
    ['192.168.1.5', '192.168.1.5'],
    ['::ffff:192.168.1.5', '192.168.1.5'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('%s is %s', (address, caller) => expect(callerOf(address)).toBe(caller))
})

describe('open streams', () => {
  test('are limited per caller and in total, and closing one makes room', () => {
    const streams = createStreamCount({ total: 3, perCaller: 2 })
    const release = streams.add('a')
    streams.add('a')
    expect(() => streams.add('a')).toThrow(
      expect.objectContaining({
        status: 429,
        code: 'too_many_connections',
        headers: { 'Retry-After': '10' },
      }),
    )
    const other = streams.add('b')
    expect(() => streams.add('c')).toThrow(
      expect.objectContaining({ status: 503, code: 'too_many_connections' }),
    )
    release()
    release() // a second call has no effect
    expect(streams.size()).toBe(2)
    streams.add('a')
    expect(() => streams.add('a')).toThrow(Problem)
    other()
    streams.add('c')
    expect(streams.size()).toBe(3)
  })
})

describe('large bodies', () => {
  test('are limited in total; small ones do not count, and releasing makes room', () => {
    const bodies = createBodyBudget({ total: 1000, small: 10 })
    const [first, second, small] = [bodies.reserve(), bodies.reserve(), bodies.reserve()]
    first.grow(400)
    first.grow(600) // the new total, not an increment
    second.grow(400)
    small.grow(10)
    expect(() => second.grow(401)).toThrow(
      expect.objectContaining({
        status: 503,
        code: 'overloaded',
        headers: { 'Retry-After': '2' },
      }),
    )
    expect(bodies.size()).toBe(1000)
    first.release()
    first.release() // a second call has no effect
    second.grow(1000)
    second.release()
    small.release()
    expect(bodies.size()).toBe(0)
  })

  test('one too many is refused while another arrives, and accepted afterwards', async () => {
    const { port, url, key } = await startMemoryServer({
      limits: { bodies: { total: 100, small: 10 } },
    })
    const authorization = `Bearer ${key}`
    const body = JSON.stringify({ scopes: ['read'] }).padEnd(80)
    const send = () =>
      fetch(`${url}/auth/token`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body,
      })
    const slow = await openRawSocket(port)
    slow.socket.write(
      requestHead('POST /api/v1/auth/token', {
        Authorization: authorization,
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
      }),
    )
    slow.socket.write(body.slice(0, 60))
    await expect.poll(async () => (await send()).status).toBe(503)
    const refused = await send()
    expect(refused.headers.get('retry-after')).toBe('2')
    expect(await refused.json()).toMatchObject({ code: 'overloaded' })
    slow.socket.write(body.slice(60))
    await slow.waitFor('201 Created')
    expect((await send()).status).toBe(201)
  })

  test('an aborted one makes room and is not reported as an error', async () => {
    const reported: unknown[] = []
    const { port, url, key } = await startMemoryServer({
      limits: { bodies: { total: 100, small: 10 } },
      onError: (cause) => void reported.push(cause),
    })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ scopes: ['read'] }).padEnd(80)
    const send = async () =>
      (await fetch(`${url}/auth/token`, { method: 'POST', headers, body })).status
    const broken = await openRawSocket(port)
    broken.socket.write(
      requestHead('POST /api/v1/auth/token', { ...headers, 'content-length': '80' }),
    )
    broken.socket.write(body.slice(0, 60))
    await expect.poll(send).toBe(503)
    broken.socket.destroy()
    await expect.poll(send).toBe(201)
    expect(reported).toEqual([])
  })
})

describe('request bodies', () => {
  /** A server that reads up to 1000 bytes and responds with how many it read. */
  const open = async () => {
    const server = createServer((request, response) => {
      readBody(request, { limit: 1000, length: request.headers['content-length'] }).then(
        (body) => response.end(`read ${body.byteLength}`),
        (cause: unknown) => {
          if (!(cause instanceof Problem)) throw cause
          response.writeHead(cause.status, { Connection: 'close' }).end(cause.code)
        },
      )
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const address = server.address()
    return { port: typeof address === 'object' && address ? address.port : 0 }
  }

  const post = async (port: number, body: string | ReadableStream) => {
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      body,
      ...(typeof body !== 'string' && { duplex: 'half' as const }),
    })
    return `${response.status} ${await response.text()}`
  }

  test('up to the limit are read completely', async () => {
    const { port } = await open()
    expect(await post(port, '')).toBe('200 read 0')
    expect(await post(port, 'x'.repeat(1000))).toBe('200 read 1000')
    expect(await post(port, new Blob(['ü'.repeat(500)]).stream())).toBe('200 read 1000')
  })

  test('over the limit are refused, with and without Content-Length', async () => {
    const { port } = await open()
    expect(await post(port, 'x'.repeat(1001))).toBe('413 too_large')
    expect(await post(port, new Blob(['x'.repeat(1001)]).stream())).toBe('413 too_large')
  })

  test.each([
    ['by their Content-Length', 'Content-Length: 1000000\r\n\r\n'],
    [
      'when they pass the limit',
      `Transfer-Encoding: chunked\r\n\r\n3e9\r\n${'x'.repeat(1001)}\r\n`,
    ],
  ])('are refused %s, before the rest has arrived', async (_, rest) => {
    const { port } = await open()
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${rest}`)
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 413 /)
  })

  test('are empty for a request without a body', async () => {
    expect(await readBody(null, { limit: 10, length: null })).toHaveLength(0)
    const { body } = new Request('http://localhost', { method: 'POST', body: 'web' })
    expect(Buffer.from(await readBody(body, { limit: 10 })).toString()).toBe('web')
  })
})
