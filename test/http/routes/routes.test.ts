import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentNames } from '../../../src/agents/known-agents.ts'
import {
  type LocalServer,
  readProblem,
  startLocalServer,
  waitForRunEnd,
} from '../../support/local-server.ts'

/** Routes over a real port, without our client. */
describe('routes', () => {
  let server: LocalServer
  beforeAll(async () => {
    server = await startLocalServer()
  })
  afterAll(async () => {
    await server.close()
    server.remove()
  })

  const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.api(path, { method: 'POST', headers, ...(body !== undefined && { body }) })

  test('health needs no token', async () => {
    const answer = await server.api('/health', { token: null })
    expect(await answer.json()).toEqual({ status: 'ok', reasons: [], version: expect.any(String) })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('agents: the demo agent is always installed', async () => {
    const agents = await server.client.agents.list()
    expect(agents).toContainEqual(
      expect.objectContaining({ name: 'demo', isInstalled: true, isBuiltIn: true }),
    )
    expect(agents.map(({ name }) => name)).toEqual([...agentNames])
  })

  test('agents: each lists the models that its sessions have used', async () => {
    const modelsOf = async (agent: string) =>
      (await server.client.agents.list()).find(({ name }) => name === agent)?.models
    const { project, id } = await server.createDemoSession()
    await server.client.sessions.create({ projectId: project.id, agent: 'demo', model: 'rose-1' })
    expect(await modelsOf('demo')).toEqual(['rose-1'])
    const { seq } = await server.client.sessions.prompt(id, 'think')
    await waitForRunEnd(server, id, seq)
    expect((await modelsOf('demo'))?.toSorted()).toEqual(['demo-script', 'rose-1'])
    expect(await modelsOf('pi')).toBeUndefined()
  })

  describe('problems', () => {
    test('an unknown path, method or API version', async () => {
      expect(await readProblem(server.api('/nothing'))).toMatchObject({
        status: 404,
        code: 'not_found',
        type: '/api/docs#not_found',
      })
      const refused = await readProblem(server.api('/sessions', { method: 'PUT' }))
      expect(refused).toMatchObject({ status: 405, code: 'method_not_allowed' })
      expect(refused.headers.get('allow')).toBe('GET, HEAD, POST')
      expect(await readProblem(server.send('/api/v2/sessions'))).toMatchObject({ status: 404 })
      expect(await readProblem(server.api('/sessions/x/stream', { method: 'POST' }))).toMatchObject(
        {
          status: 405,
        },
      )
    })

    test('a body that is not JSON, of another type, too large or too deep', async () => {
      expect(await readProblem(post('/projects', '{"name":'))).toMatchObject({
        status: 400,
        code: 'bad_json',
      })
      expect(await readProblem(post('/projects'))).toMatchObject({ status: 400, code: 'bad_json' })
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      expect(await readProblem(post('/projects', 'name=x', form))).toMatchObject({
        status: 415,
        code: 'not_json',
      })
      const large = JSON.stringify({ name: 'x'.repeat(300_000) })
      expect(await readProblem(post('/projects', large))).toMatchObject({
        status: 413,
        code: 'too_large',
      })
      const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
      expect(await readProblem(post('/projects', deep))).toMatchObject({ status: 422 })
    })

    test('the 413 for a large chunked body arrives', async () => {
      const chunk = new TextEncoder().encode('x'.repeat(64 * 1024))
      let left = 16
      const body = new ReadableStream({
        pull(controller) {
          left -= 1
          if (left < 0) controller.close()
          else controller.enqueue(chunk)
        },
      })
      const init = {
        method: 'POST',
        headers: {
          authorization: `Bearer ${server.key}`,
          'content-type': 'application/json',
        },
        body,
        duplex: 'half',
      } as const
      const answer = await fetch(`${server.url}/api/v1/projects`, init)
      expect(answer.status).toBe(413)
    })

    test('prompts and approvals may be larger, for images and files', async () => {
      const content = 'x'.repeat(300_000)
      const decision = { action: 'allow', updatedInput: { content } }
      expect(await readProblem(post('/approvals/none', decision))).toMatchObject({ status: 404 })
      const message = { text: content }
      expect(await readProblem(post('/sessions/none/steer', message))).toMatchObject({
        status: 404,
      })
    })

    test('an invalid body lists its fields', async () => {
      const refused = await readProblem(post('/projects', { name: '', pfad: '/' }))
      expect(refused).toMatchObject({ status: 422, code: 'invalid' })
      expect(refused).toHaveProperty('issues')
      expect(JSON.stringify(refused)).toContain('"path":"body.name"')
      expect(JSON.stringify(refused)).toContain('"path":"body.path"')
    })

    test('a body with too many values is refused before a schema reads it', async () => {
      const many = `{${Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":1`).join(',')}}`
      const approval = `{"action":"allow","updatedInput":${many}}`
      for (const [path, body] of [
        ['/sessions/none/steer', many],
        ['/approvals/none', approval],
      ] as const) {
        const response = await post(path, body)
        const text = await response.text()
        expect(response.status).toBe(422)
        expect(text).toContain('The body has more than 10000 values.')
        expect(text.length).toBeLessThan(1000)
      }
    })

    test('a refusal repeats only the start of what it refuses', async () => {
      const names = Array.from({ length: 5000 }, (_, index) => `unknown-key-${index}`)
      const manyKeys = Object.fromEntries(names.map((name) => [name, 1]))
      const longKey = { ['x'.repeat(200_000)]: 1 }
      const longRoute = `/sessions/${'y'.repeat(60_000)}`
      for (const refused of [
        post('/projects', manyKeys),
        post('/projects', longKey),
        server.api(longRoute),
        server.api(`/sessions?${'z'.repeat(60_000)}=1`),
      ]) {
        const { status, headers } = await readProblem(refused)
        expect([404, 422]).toContain(status)
        expect(Number(headers.get('content-length'))).toBeLessThan(5000)
      }
    })

    test('names of object methods are keys like any other', async () => {
      for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString']) {
        const body = `{"name":"N","path":"/","${name}":{"polluted":true}}`
        expect(await readProblem(post('/projects', body))).toMatchObject({ status: 422 })
        expect(await readProblem(server.api(`/sessions?${name}=1`))).toMatchObject({ status: 422 })
        expect(await readProblem(server.api(`/sessions/${name}`))).toMatchObject({ status: 404 })
      }
      expect(Object.prototype).not.toHaveProperty('polluted')
    })

    test('a query with too many parameters is refused', async () => {
      const query = Array.from({ length: 101 }, (_, index) => `p${index}=1`).join('&')
      expect(await readProblem(server.api(`/sessions?${query}`))).toMatchObject({
        status: 400,
        code: 'bad_request',
      })
    })

    test('an invalid query lists its fields', async () => {
      expect(await readProblem(server.api('/sessions?limit=many'))).toMatchObject({
        status: 422,
        issues: [{ path: 'query.limit' }],
      })
      expect(await readProblem(server.api('/sessions?cursor=e30'))).toMatchObject({ status: 422 })
    })
  })

  test('API keys are created, used, listed and revoked', async () => {
    const made = await server.client.keys.create({ name: 'K', scopes: ['read'] })
    expect((await server.api('/sessions', { token: made.key })).status).toBe(200)
    const text = await (await server.api('/keys')).text()
    expect(text).toContain(made.id)
    expect(text).not.toContain(made.key)
    await server.client.keys.revoke(made.id)
    expect(await readProblem(server.api('/sessions', { token: made.key }))).toMatchObject({
      status: 401,
      code: 'key_revoked',
    })
    expect(await readProblem(server.api('/keys/none', { method: 'DELETE' }))).toMatchObject({
      status: 404,
      code: 'unknown_key',
    })
  })

  test('a token has fewer scopes than its key, never more', async () => {
    const { token } = await server.client.auth.token({ scopes: ['read'], ttlSeconds: 60 })
    expect((await server.api('/sessions', { token })).status).toBe(200)
    expect(await readProblem(server.api('/keys', { token }))).toMatchObject({
      status: 403,
      code: 'wrong_scope',
    })
    const excessive = { method: 'POST', token, body: { scopes: ['admin'] } }
    expect(await readProblem(server.api('/auth/token', excessive))).toMatchObject({ status: 403 })
  })

  test('a missing blob is 404, a malformed hash 422', async () => {
    expect(await readProblem(server.api(`/blobs/${'0'.repeat(64)}`))).toMatchObject({
      status: 404,
      code: 'unknown_blob',
    })
    expect(await readProblem(server.api('/blobs/x'))).toMatchObject({ status: 422 })
  })

  describe('pages', () => {
    test('the reference and the OpenAPI document need no token and hold no script', async () => {
      const document = await (await server.api('/openapi.json', { token: null })).json()
      expect(document).toMatchObject({ openapi: '3.1.0' })
      const page = await server.send('/api/docs', { token: null })
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      const text = await page.text()
      expect(text).not.toMatch(/<script|style="|<style|https?:\/\//)
      expect(text).toContain('/api/v1/sessions/:id/turn-diff')
      expect((await server.send('/api/docs.css', { token: null })).status).toBe(200)
    })

    test('metrics need a token', async () => {
      expect(await readProblem(server.send('/metrics', { token: null }))).toMatchObject({
        status: 401,
      })
      const { id } = await server.createDemoSession()
      await server.client.sessions.prompt(id, 'think')
      await waitForRunEnd(server, id)
      const text = await (await server.send('/metrics')).text()
      expect(text).toMatch(/^sluice_events_total [1-9]\d*$/m)
      expect(text).toMatch(/^sluice_stream_connections_total [1-9]\d*$/m)
      expect(text).toMatch(/^sluice_http_requests_total\{status="200"\} [1-9]\d*$/m)
      expect(text).toMatch(/^sluice_sessions [1-9]\d*$/m)
    })
  })
})
