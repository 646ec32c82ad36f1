import { describe, expect, test } from 'vitest'
import { createSilentConnections } from '../../src/auth/limits/silent-connections.ts'
import { startMemoryServer } from '../support/memory-server.ts'
import { openRawSocket, type RawSocket, requestHead } from '../support/raw-socket.ts'

const isServed = async (url: string): Promise<boolean> => (await fetch(`${url}/health`)).ok

describe('connections', () => {
  test('one that sends nothing is closed after the time for headers', async () => {
    const { port } = await startMemoryServer({ limits: { headersMs: 100 } })
    const { closed, received } = await openRawSocket(port)
    await closed
    expect(received()).toMatch(/^(HTTP\/1.1 408 |$)/)
  })

  test('one that sends its header slowly, or not its body, is refused', async () => {
    const { port, key } = await startMemoryServer({ limits: { headersMs: 100, requestMs: 300 } })
    const slow = await openRawSocket(port)
    slow.socket.write('GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-')
    await slow.closed
    expect(slow.received()).toContain('request_timeout')
    const bodiless = await openRawSocket(port)
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Content-Length': '10',
    }
    bodiless.socket.write(requestHead('POST /api/v1/sessions/s/prompt', headers))
    await bodiless.closed
    expect(bodiless.received()).toContain('request_timeout')
  })

  test('silent ones give way to new ones, and requests are still served', async () => {
    const { port, url } = await startMemoryServer({
      limits: { silent: { total: 10, perAddress: 5, graceMs: 0 } },
    })
    const sockets: RawSocket[] = []
    for (let count = 0; count < 8; count += 1) sockets.push(await openRawSocket(port))
    await Promise.all(sockets.slice(0, 3).map(({ closed }) => closed))
    expect(sockets.slice(3).map(({ socket }) => socket.destroyed)).toEqual(Array(5).fill(false))
    expect(await isServed(url)).toBe(true)
  })

  test('a connection with a request is not silent', async () => {
    const { port, key } = await startMemoryServer({
      limits: { silent: { total: 10, perAddress: 1, graceMs: 0 } },
    })
    const stream = await openRawSocket(port)
    const headers = { Authorization: `Bearer ${key}` }
    stream.socket.write(requestHead('GET /api/v1/sessions/s/stream', headers))
    await stream.waitFor('text/event-stream')
    const first = await openRawSocket(port)
    await openRawSocket(port)
    await first.closed
    expect(stream.socket.destroyed).toBe(false)
  })

  test('there are no more than the limit in all', async () => {
    const { port, url } = await startMemoryServer({ limits: { sockets: 2 } })
    const first = await openRawSocket(port)
    const second = await openRawSocket(port)
    const third = await openRawSocket(port)
    await third.closed
    expect([first, second].map(({ socket }) => socket.destroyed)).toEqual([false, false])
    first.socket.destroy()
    await expect.poll(() => isServed(url).catch(() => false)).toBe(true)
  })
})

test('connections that were only just opened are not closed: many readers may come back at once', async () => {
  let time = 0
  const silent = createSilentConnections({ total: 2, perAddress: 2, now: () => time })
  const { port } = await startMemoryServer()
  const sockets = await Promise.all(Array.from({ length: 5 }, () => openRawSocket(port)))
  for (const { socket } of sockets.slice(0, 4)) silent.add(socket)
  expect(silent.size()).toBe(4)
  time = 2000
  const [, , , , last] = sockets
  if (last) silent.add(last.socket)
  await sockets[0]?.closed
  expect(silent.size()).toBe(3)
})
