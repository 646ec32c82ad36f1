import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalServer, readProblem, startLocalServer } from '../../support/local-server.ts'

/** Who is let in, on both ways through the server: the routes and the streams. */
describe('a token', () => {
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

  const stream = (token: string | null, signal?: AbortSignal) =>
    fetch(`${server.url}/api/v1/sessions/${id}/stream`, {
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      ...(signal && { signal }),
    })

  /** Reads to the end; a stream that is cut ends too, in its own way. */
  const endOf = async (response: Response): Promise<string> => {
    const decoder = new TextDecoder()
    let text = ''
    try {
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
    } catch {}
    return text
  }

  test.each(['/sessions', '/stream', '/sessions/x/stream', '/approvals', '/keys'])(
    'is needed for %s',
    async (path) => {
      const refused = await readProblem(server.api(path, { token: null }))
      expect(refused).toMatchObject({ status: 401, code: 'token_missing' })
      expect(refused.headers.get('www-authenticate')).toContain('Bearer')
    },
  )

  test.each(['x', 'sluice_wrong', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.'])(
    'that is wrong opens nothing: %s',
    async (token) => {
      for (const path of ['/sessions', `/sessions/${id}/stream`, '/stream'])
        expect(await readProblem(server.api(path, { token }))).toMatchObject({
          status: 401,
          code: 'token_invalid',
        })
    },
  )

  test('allows what its scopes say', async () => {
    const { key } = await server.client.keys.create({ name: 'P', scopes: ['prompt'] })
    expect(await readProblem(stream(key))).toMatchObject({ status: 403, code: 'wrong_scope' })
    const { key: reader } = await server.client.keys.create({ name: 'R', scopes: ['read'] })
    const asked = { method: 'POST', token: reader, body: { text: 'x' } }
    expect(await readProblem(server.api(`/sessions/${id}/prompt`, asked))).toMatchObject({
      status: 403,
      needed: 'prompt',
    })
    const answer = { method: 'POST', token: reader, body: { action: 'allow' } }
    expect(await readProblem(server.api('/approvals/x', answer))).toMatchObject({
      status: 403,
      needed: 'approve',
    })
  })

  test('ends its stream when it expires', async () => {
    const { token } = await server.client.auth.token({ scopes: ['read'], ttlSeconds: 2 })
    const open = await stream(token)
    expect(open.status).toBe(200)
    expect(await endOf(open)).toContain('"type":"snapshot"')
    expect(await readProblem(stream(token))).toMatchObject({ status: 401, code: 'token_expired' })
  })

  test('ends its streams when its key is revoked, and no others', async () => {
    const { key, id: keyId } = await server.client.keys.create({ name: 'X', scopes: ['read'] })
    const other = new AbortController()
    const going = await stream(server.key, other.signal)
    const open = await stream(key)
    const reader = going.body?.getReader()
    await reader?.read()
    const ended = endOf(open)
    await server.client.keys.revoke(keyId)
    expect(await ended).toContain('"type":"snapshot"')
    expect(await readProblem(stream(key))).toMatchObject({ status: 401, code: 'key_revoked' })
    await server.client.sessions.prompt(id, 'think')
    expect((await reader?.read())?.done).toBe(false)
    other.abort()
  })

  /** `fetch` does not let a program set its Host. */
  const asHost = (path: string, headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = request(`${server.url}${path}`, {
        headers: { authorization: `Bearer ${server.key}`, ...headers },
      })
      asked.on('response', (response) => {
        resolve(response.statusCode)
        response.destroy()
      })
      asked.on('error', reject)
      asked.end()
    })

  test.each([
    '/api/v1/sessions',
    '/api/v1/stream',
    '/api/v1/health',
    '/api/docs',
    '/metrics',
    '/',
    '/api/none',
  ])('does not help a page elsewhere: %s by a foreign Host or Origin', async (path) => {
    expect(await asHost(path, { host: 'evil.example' })).toBe(403)
    expect(await asHost(path, { origin: 'http://evil.example' })).toBe(403)
    expect(await asHost(path, { origin: 'null' })).toBe(403)
    const own = await asHost(path, { host: `localhost:${server.port}` })
    expect(own).toBe(path === '/api/none' ? 404 : 200)
  })

  test('is not read from the query, and no CORS header is sent', async () => {
    expect(
      await readProblem(server.api(`/sessions?token=${server.key}`, { token: null })),
    ).toMatchObject({ status: 401 })
    const answer = await server.api('/sessions')
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })
})

test('without authentication everybody may do everything', async () => {
  const server = await startLocalServer({ needsToken: false })
  expect((await server.api('/keys', { token: null })).status).toBe(200)
  await server.close()
  server.remove()
})
