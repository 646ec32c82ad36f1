import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { type Endpoint, endpoints } from '../../src/http/endpoints.ts'
import { type MemoryServer, startMemoryServer } from '../support/memory-server.ts'
import { openRawSocket, requestHead } from '../support/raw-socket.ts'

interface Sent {
  method: string
  path: string
  headers?: Record<string, string>
}

/** Sends a request with any `Host`, which `fetch` does not allow; a stream is closed at once. */
const send = ({ port }: MemoryServer, { method, path, headers = {} }: Sent) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const request = httpRequest({ port, method, path, headers: { host: '127.0.0.1', ...headers } })
    request.on('error', reject)
    request.on('response', (response) => {
      const status = response.statusCode ?? 0
      if (response.headers['content-type'] !== 'text/event-stream')
        return void text(response).then((body) => resolve({ status, body }), reject)
      request.destroy()
      resolve({ status, body: '' })
    })
    request.end()
  })

/** Every endpoint, and paths that are none. */
const requests: [string, Sent, Endpoint['scope']][] = [
  ...Object.values(endpoints).map(({ method, path, scope }): [string, Sent, Endpoint['scope']] => [
    `${method} ${path}`,
    { method, path: path.replace(':id', 's').replace(':hash', '0'.repeat(64)).replace('*', '') },
    scope,
  ]),
  ['an unknown path', { method: 'GET', path: '/api/v1/nothing' }, null],
  ['a method that is not allowed', { method: 'PUT', path: '/api/v1/sessions' }, null],
  ['a malformed path', { method: 'GET', path: '/api\\v1' }, null],
  ['a malformed id', { method: 'GET', path: '/api/v1/sessions/%zz/stream' }, 'read'],
]

describe('every request is checked before anything is done for it', () => {
  test('host, then origin, then token, then scope', async () => {
    // Each path gets two wrong tokens, from one address.
    const server = await startMemoryServer({
      limits: { refusals: { burst: 10_000, perSecond: 10 } },
    })
    const authorization = `Bearer ${server.key}`
    for (const [name, sent, scope] of requests) {
      const codeFor = async (headers: Record<string, string>) =>
        /"code":"(\w+)"/.exec((await send(server, { ...sent, headers })).body)?.[1]
      expect(await codeFor({ host: 'x.example', authorization }), name).toBe('foreign_host')
      expect(await codeFor({ origin: 'http://x.example', authorization }), name).toBe(
        'foreign_origin',
      )
      if (scope === null) continue
      expect(await codeFor({}), name).toBe('token_missing')
      expect(await codeFor({ authorization: 'Bearer wrong' }), name).toBe('token_invalid')
      if (scope === 'approve') expect(await codeFor({ authorization }), name).toBe('wrong_scope')
    }
  })

  test('and every endpoint has a handler', async () => {
    const server = await startMemoryServer()
    const headers = { authorization: `Bearer ${server.key}` }
    for (const [name, sent] of requests)
      expect((await send(server, { ...sent, headers })).status, name).toBeLessThan(500)
  })
})

describe('a connection', () => {
  test('serves the next request after a body that nobody read', async () => {
    const { port } = await startMemoryServer()
    const { socket, waitFor, received } = await openRawSocket(port)
    const body = 'x'.repeat(300_000)
    socket.write(
      `${requestHead('POST /api/v1/nothing', { 'Content-Length': String(body.length) })}${body}`,
    )
    socket.write(requestHead('GET /api/v1/health', {}))
    await waitFor('"status":"ok"')
    expect(received()).toContain('404 Not Found')
  })

  test('is closed when a body that nobody reads does not end', async () => {
    const { port } = await startMemoryServer()
    const { socket, closed, received } = await openRawSocket(port)
    socket.write(`${requestHead('POST /api/v1/nothing', { 'Content-Length': '1000000' })}x`)
    await closed
    expect(received()).toContain('404 Not Found')
  })

  test('responds to pipelined requests in order, to HEAD without a body', async () => {
    const { port } = await startMemoryServer()
    const { socket, closed, received } = await openRawSocket(port)
    socket.write(
      requestHead('HEAD /api/v1/health', {}) +
        requestHead('GET /api/v1/nothing', {}) +
        requestHead('GET /api/v1/health', { Connection: 'close' }),
    )
    await closed
    const [head = '', notFound = '', health = ''] = received().split('HTTP/1.1 ').slice(1)
    expect(head).toContain('Content-Length: 42')
    expect(head.endsWith('\r\n\r\n')).toBe(true)
    expect(notFound).toMatch(/^404 Not Found/)
    expect(health).toMatch(/"status":"ok"/)
  })
})
