import { Agent, type IncomingMessage, request } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scope } from '../../../src/api/key.ts'
import { openapi } from '../../../src/http/reference/openapi.ts'
import { type JsonSchema, nameIn } from '../../../src/http/reference/schemas.ts'
import { problems } from '../../../src/shared/problem.ts'
import { type LocalServer, startLocalServer } from '../../support/local-server.ts'
import { valuesFromSchema } from '../reference/values-from-schema.ts'

const document = openapi('0')
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const resolve = (ref: string): JsonSchema => document.components.schemas[nameIn(ref)] ?? {}

interface Sent {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

interface Received {
  status: number
  type: string
  body: string
}

/** Sends each operation what its schemas allow, and sometimes anything else. */
describe('the server never fails, whatever it receives', () => {
  let server: LocalServer
  /** Ids that exist. */
  let ids: { session: readonly string[]; project: readonly string[] }
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })

  beforeAll(async () => {
    // Most pairing codes here are wrong, and must not be refused for their number.
    server = await startLocalServer({ limits: { refusals: { burst: 100_000, perSecond: 1000 } } })
    const { id, project } = await server.createDemoSession()
    const removed = await server.client.sessions.create({ projectId: project.id, agent: 'demo' })
    await server.client.sessions.remove(removed.id)
    ids = { session: [id, removed.id], project: [project.id] }
  })
  afterAll(async () => {
    agent.destroy()
    await server.close()
    server.remove()
  })

  /** Not by `fetch`, which corrects paths and headers. */
  const send = ({ method, path, headers, body }: Sent): Promise<Received> =>
    new Promise((settle, reject) => {
      const outgoing = request({ port: server.port, method, path, headers, agent })
      const receivedFrom = (response: IncomingMessage, text: string): Received => ({
        status: response.statusCode ?? 0,
        type: response.headers['content-type'] ?? '',
        body: text,
      })
      outgoing.on('error', reject)
      outgoing.on('response', (response) => {
        // A stream does not end.
        if (response.headers['content-type'] === 'text/event-stream') {
          outgoing.destroy()
          return settle(receivedFrom(response, ''))
        }
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => settle(receivedFrom(response, text)))
      })
      outgoing.end(body)
    })

  const check = (sent: Sent, received: Received, documented: ReadonlyMap<string, string>): void => {
    const details = JSON.stringify({ sent, received })
    expect(received.status, details).toBeLessThan(500)
    if (received.status >= 400) {
      expect(received.type, details).toBe('application/problem+json')
      const body: unknown = JSON.parse(received.body)
      expect(body, details).toMatchObject({ status: received.status, detail: expect.any(String) })
      const code = String(Reflect.get(Object(body), 'code'))
      expect(Object.keys(problems), details).toContain(code)
      if (!unrouted.includes(code))
        expect(documented.get(String(received.status)), details).toContain(`\`${code}\``)
    } else expect([...documented.keys()], details).toContain(String(received.status))
  }

  const idFor = (path: string) => {
    const existing = [...ids.session, ...(path.includes('projects') ? ids.project : [])]
    return fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...existing) },
      { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 20, unit: 'binary' }) },
    )
  }

  test.each(operations)('$method $path', async ({ path, method, operation }) => {
    const { key } = await server.client.keys.create({ name: 'fuzz', scopes: scope.options })
    const parameters = operation.parameters
      .filter((each) => each.in !== 'path')
      .map((each) => ({ ...each, value: valuesFromSchema({ ...each.schema }, resolve) }))
    const schema = operation.requestBody?.content['application/json'].schema
    const sent = fc.record({
      id: idFor(path),
      hash: fc.stringMatching(/^[0-9a-f]{64}$/),
      values: fc.record(Object.fromEntries(parameters.map(({ name, value }) => [name, value])), {
        requiredKeys: [],
      }),
      query: fc.option(fc.webQueryParameters(), { freq: 4 }),
      body: fc.oneof(
        {
          weight: 6,
          arbitrary: (schema ? valuesFromSchema(schema, resolve) : fc.constant({})).map(asJson),
        },
        { weight: 1, arbitrary: fc.json() },
        { weight: 1, arbitrary: fc.string() },
      ),
      type: fc.oneof(
        { weight: 8, arbitrary: fc.constant('application/json') },
        { weight: 1, arbitrary: fc.constantFrom('text/plain', 'multipart/form-data', 'x') },
      ),
      token: fc.oneof(
        { weight: 12, arbitrary: fc.constant(key) },
        { weight: 1, arbitrary: fc.base64String({ minLength: 4 }) },
      ),
    })
    const documented = new Map(
      Object.entries(operation.responses).map(([status, response]) => [
        status,
        JSON.stringify(response),
      ]),
    )
    await fc.assert(
      fc.asyncProperty(sent, async ({ id, hash, values, query, body, type, token }) => {
        const inQuery = new URLSearchParams()
        const headers: Record<string, string> = {
          authorization: `Bearer ${token.replaceAll(/[^\w.~+/=-]/g, '')}`,
          host: `127.0.0.1:${server.port}`,
        }
        for (const { name, in: where } of parameters) {
          const value = Reflect.get(values, name)
          if (value === undefined) continue
          if (where === 'header') headers[name] = encodeURIComponent(String(value))
          else inQuery.set(name, String(value))
        }
        const hasBody = method !== 'get'
        const request: Sent = {
          method: method.toUpperCase(),
          path: `${path
            .replace('{id}', encoded(id))
            .replace('{hash}', hash)}?${query ?? inQuery.toString()}`,
          headers: { ...headers, ...(hasBody && bodyHeaders(body, type)) },
          ...(hasBody && { body }),
        }
        check(request, await send(request), documented)
      }),
      { numRuns: 40 },
    )
  })

  test('with any method, path and header', async () => {
    const sent = fc.record({
      method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE'),
      path: fc.oneof(
        fc.webPath(),
        fc.webPath().map((path) => `/api/v1${path}`),
        fc.constantFrom('/api/v1/sessions/%ZZ/stream', '/api/v1/sessions/%2e%2e/', '//x', '/%00'),
        fc.constantFrom('/api/v1/stream?sessions=%00,a&after=x', '/api/docs/..;/', '/?/../'),
      ),
      value: fc.stringMatching(/^[\x20-\x7e]{0,40}$/),
    })
    await fc.assert(
      fc.asyncProperty(sent, async ({ method, path, value }) => {
        const headers = {
          host: `127.0.0.1:${server.port}`,
          authorization: `Bearer ${server.key}`,
          'last-event-id': value,
          'accept-encoding': value,
          'if-none-match': value,
        }
        const received = await send({ method, path, headers })
        expect(received.status, JSON.stringify({ method, path, value, received })).toBeLessThan(500)
      }),
      { numRuns: 300 },
    )
  })
})

/** Problems of paths that no route has. */
const unrouted: readonly string[] = ['not_found', 'method_not_allowed']

const bodyHeaders = (body: string, type: string) => ({
  'content-type': type,
  'content-length': String(Buffer.byteLength(body)),
})

/** Values that JSON cannot express are sent as null. */
const asJson = (value: unknown): string => JSON.stringify(value) ?? 'null'

/** A lone surrogate has no percent-encoding. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())
