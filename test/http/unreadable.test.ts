import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalServer, startLocalServer } from '../support/local-server.ts'
import { openRawSocket, requestHead } from '../support/raw-socket.ts'

/** What is no request, or too large to be one. */
describe('requests that cannot be read', () => {
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

  const ask = (size: number) =>
    requestHead(`GET /api/v1/stream?sessions=${id}`, {
      Authorization: `Bearer ${server.key}`,
      'Last-Event-ID': `${id}:0${`,${'x'.repeat(35)}:7`.repeat(Math.floor(size / 38))}`,
    })

  /** The problem that a connection ends with. */
  const refusalOf = async (sent: string): Promise<unknown> => {
    const { socket, closed, received: text } = await openRawSocket(server.port)
    socket.write(sent)
    await closed
    const [head = '', body = ''] = text().split('\r\n\r\n')
    expect(head).toContain('Content-Type: application/problem+json')
    expect(head).toContain('X-Content-Type-Options: nosniff')
    return JSON.parse(body)
  }

  test('the cursors of many sessions are no problem', async () => {
    const { socket, waitFor: heard } = await openRawSocket(server.port)
    socket.write(ask(48_000))
    await heard('"verdict":"ok"')
  })

  test('headers over the limit', async () => {
    expect(await refusalOf(ask(80_000))).toMatchObject({ status: 431, code: 'headers_too_large' })
  })

  test.each(['nonsense\r\n\r\n', 'GET / HTTP/1.1\r\nBad Header\r\n\r\n', '\x16\x03\x01\x02'])(
    'no HTTP: %j',
    async (sent) => {
      expect(await refusalOf(sent)).toMatchObject({ status: 400, code: 'bad_request' })
    },
  )

  test('a body that breaks its own rules', async () => {
    const head = requestHead(`POST /api/v1/sessions/${id}/prompt`, {
      Authorization: `Bearer ${server.key}`,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    })
    expect(await refusalOf(`${head}no size\r\n`)).toMatchObject({ status: 400 })
  })

  test('nonsense on an open stream ends it, and is not answered into it', async () => {
    const { socket, waitFor: heard, closed, received: text } = await openRawSocket(server.port)
    const headers = { Authorization: `Bearer ${server.key}` }
    socket.write(requestHead(`GET /api/v1/sessions/${id}/stream`, headers))
    await heard('"type":"snapshot"')
    socket.write('nonsense\r\n\r\n')
    await closed
    expect(text().match(/HTTP\/1\.1/g)).toHaveLength(1)
  })
})
