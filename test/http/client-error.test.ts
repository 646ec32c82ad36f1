import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalServer, startLocalServer } from '../support/local-server.ts'
import { openRawSocket, requestHead } from '../support/raw-socket.ts'

describe('bytes that are not a valid request', () => {
  let server: LocalServer
  let id: string
  beforeAll(async () => {
    server = await startLocalServer()
    id = (await server.createDemoSession()).id
  })
  afterAll(async () => {
    await server.close()
    server.remove()
  })

  const streamRequest = (size: number) =>
    requestHead(`GET /api/v1/stream?sessions=${id}`, {
      Authorization: `Bearer ${server.key}`,
      'Last-Event-ID': `${id}:0${`,${'x'.repeat(35)}:7`.repeat(Math.floor(size / 38))}`,
    })

  /** The problem that the server sends before it closes the connection. */
  const refusalOf = async (sent: string): Promise<unknown> => {
    const { socket, closed, received: text } = await openRawSocket(server.port)
    socket.write(sent)
    await closed
    const [head = '', body = ''] = text().split('\r\n\r\n')
    expect(head).toContain('Content-Type: application/problem+json')
    expect(head).toContain('X-Content-Type-Options: nosniff')
    return JSON.parse(body)
  }

  test('cursors of many sessions are within the header limit', async () => {
    const { socket, waitFor: heard } = await openRawSocket(server.port)
    socket.write(streamRequest(48_000))
    await heard('"verdict":"ok"')
  })

  test('headers over the limit are refused', async () => {
    expect(await refusalOf(streamRequest(80_000))).toMatchObject({
      status: 431,
      code: 'headers_too_large',
    })
  })

  test.each(['nonsense\r\n\r\n', 'GET / HTTP/1.1\r\nBad Header\r\n\r\n', '\x16\x03\x01\x02'])(
    'bytes that are not HTTP are refused: %j',
    async (sent) => {
      expect(await refusalOf(sent)).toMatchObject({ status: 400, code: 'bad_request' })
    },
  )

  test('a malformed chunked body is refused', async () => {
    const head = requestHead(`POST /api/v1/sessions/${id}/prompt`, {
      Authorization: `Bearer ${server.key}`,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    })
    expect(await refusalOf(`${head}no size\r\n`)).toMatchObject({ status: 400 })
  })

  test('garbage on an open stream closes it, without a response inside it', async () => {
    const { socket, waitFor: heard, closed, received: text } = await openRawSocket(server.port)
    const headers = { Authorization: `Bearer ${server.key}` }
    socket.write(requestHead(`GET /api/v1/sessions/${id}/stream`, headers))
    await heard('"type":"snapshot"')
    socket.write('nonsense\r\n\r\n')
    await closed
    expect(text().match(/HTTP\/1\.1/g)).toHaveLength(1)
  })
})
