import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalServer, startLocalServer } from '../support/local-server.ts'
import { startMemoryServer } from '../support/memory-server.ts'
import { openRawSocket, requestHead } from '../support/raw-socket.ts'

describe('the limit of open streams', () => {
  test('does not count clients that leave while their token is checked', async () => {
    let release = () => {}
    let hold: Promise<void> | undefined
    let waiting = 0
    const { port, url, key } = await startMemoryServer({
      limits: { connections: { total: 100, perCaller: 3 } },
      async beforeCheck() {
        waiting += 1
        await hold
      },
    })
    const authorization = `Bearer ${key}`
    hold = new Promise((resolve) => {
      release = resolve
    })
    const streamRequest = requestHead('GET /api/v1/sessions/s/stream', {
      Authorization: authorization,
    })
    const gone = await Promise.all(Array.from({ length: 10 }, () => openRawSocket(port)))
    for (const { socket } of gone) socket.write(streamRequest)
    while (waiting < gone.length) await turn()
    for (const { socket } of gone) socket.resetAndDestroy()
    // Sent later, so once it is answered, the server has seen the others disconnect.
    expect((await fetch(`${url}/sessions/s/stream`, { method: 'OPTIONS' })).status).toBe(405)
    hold = undefined
    release()
    const open = await Promise.all(
      [1, 2, 3].map(() => fetch(`${url}/sessions/s/stream`, { headers: { authorization } })),
    )
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200])
    const full = await fetch(`${url}/sessions/s/stream`, { headers: { authorization } })
    expect(full.status).toBe(429)
    await full.text()
    for (const { body } of open) await body?.cancel()
  })
})

describe('a stream', () => {
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

  test('that is pipelined behind other requests opens after their responses', async () => {
    const { socket, waitFor: heard, received: text } = await openRawSocket(server.port)
    const headers = { Authorization: `Bearer ${server.key}` }
    socket.write(
      requestHead('GET /api/v1/sessions', headers) +
        requestHead('GET /api/v1/projects', headers) +
        requestHead(`GET /api/v1/sessions/${id}/stream`, headers),
    )
    await heard('"type":"snapshot"')
    const [sessions, projects, stream, ...rest] = text().split('HTTP/1.1 200 OK').slice(1)
    expect(sessions).toContain('"sessions":')
    expect(projects).toContain('"projects":')
    expect(stream).toContain('text/event-stream')
    expect(rest).toEqual([])
  })

  test.each(['/stream', '/sessions/:id/stream'])('HEAD of %s is refused', async (path) => {
    const answer = await server.api(path.replace(':id', id), { method: 'HEAD' })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET')
  })
})
