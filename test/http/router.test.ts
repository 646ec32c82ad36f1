import { describe, expect, test } from 'vitest'
import { type Endpoint, endpoints } from '../../src/http/endpoints.ts'
import { createRouter } from '../../src/http/router.ts'
import { Problem } from '../../src/shared/problem.ts'

const router = createRouter(Object.values(endpoints))

/** The name of the endpoint that matches, or the code of the problem. */
const outcomeOf = (method: string, target: string): string => {
  const match = router.match(method, target)
  if (match instanceof Problem) return match.code
  return Object.entries(endpoints).find(([, each]) => each === match.endpoint)?.[0] ?? ''
}

const paramsOf = (target: string): unknown => {
  const match = router.match('GET', target)
  return match instanceof Problem ? match.code : match.params
}

const queryOf = (target: string): unknown => {
  const match = router.match('GET', target)
  return match instanceof Problem ? match.code : match.query
}

/** A path that an endpoint matches. */
const examplePath = ({ path }: Endpoint): string =>
  path.replaceAll(/:\w+/g, 'x').replace('*', 'sessions/x')

describe('paths', () => {
  test.each(Object.entries(endpoints))('%s is found by its method and path', (name, endpoint) => {
    expect(outcomeOf(endpoint.method, examplePath(endpoint))).toBe(name)
  })

  test.each([
    // Empty segments and trailing slashes are other paths.
    ['/api/v1/health/', 'not_found'],
    ['/api/v1//health', 'not_found'],
    ['/api//v1/health', 'not_found'],
    ['/api/v1/sessions/', 'not_found'],
    ['/api/v1/sessions//messages', 'not_found'],
    ['/api/v1/sessions//stream', 'not_found'],
    ['/api/v1/stream/', 'not_found'],
    ['/metrics/', 'not_found'],
    // Paths below /api and /metrics are never the web app.
    ['/api', 'not_found'],
    ['/api/', 'not_found'],
    ['/api/v2/sessions', 'not_found'],
    ['/%61pi/v2', 'not_found'],
    ['/metrics/x', 'not_found'],
    ['/api/v1/HEALTH', 'not_found'],
    // Everything else is.
    ['/', 'webApp'],
    ['//', 'webApp'],
    ['//api/v1/health', 'webApp'],
    ['/apix', 'webApp'],
    ['/API/v1/health', 'webApp'],
    ['/stream', 'webApp'],
    ['/assets/index.js', 'webApp'],
    // Dot segments are resolved, also when they are encoded.
    ['/api/v1/../v1/health', 'health'],
    ['/api/v1/%2e%2e/v1/health', 'health'],
    ['/api/v1/./health', 'health'],
    ['/api/v1/sessions/..', 'not_found'],
    ['/api/v1/x/../sessions/s/stream', 'streamSession'],
    ['/../../api/v1/health', 'health'],
    // Segments are decoded after they are split.
    ['/api/v1/he%61lth', 'health'],
    ['/api/v1/stre%61m', 'streamSessions'],
    ['/api/v1%2fhealth', 'not_found'],
    ['/api%2fv1%2fhealth', 'webApp'],
    ['/api/v1/health%3Fx=1', 'not_found'],
    ['/api/v1/health%23', 'not_found'],
    ['/api/v1/health%20', 'not_found'],
    ['/api/v1/health;x=1', 'not_found'],
    // The query and the fragment are not part of the path.
    ['/api/v1/health?', 'health'],
    ['/api/v1/health?/../x', 'health'],
    ['/api/v1/health#x', 'health'],
    // A whole URL, as proxies send it.
    ['http://127.0.0.1/api/v1/health', 'health'],
    ['https://x.example/api/v1/stream', 'streamSessions'],
    ['http://127.0.0.1', 'webApp'],
    ['http://127.0.0.1?x', 'webApp'],
    // Everything else is malformed.
    ['', 'bad_request'],
    ['*', 'bad_request'],
    ['api/v1/health', 'bad_request'],
    ['?x', 'bad_request'],
    ['/api\\v1\\health', 'bad_request'],
    ['\\api\\v1\\health', 'bad_request'],
    ['ftp://127.0.0.1/api/v1/health', 'bad_request'],
    ['http://[::1/api/v1/health', 'bad_request'],
    ['127.0.0.1:80', 'bad_request'],
  ])('GET %s: %s', (target, outcome) => expect(outcomeOf('GET', target)).toBe(outcome))
})

describe('methods', () => {
  test.each([
    ['HEAD', '/api/v1/health', 'health'],
    ['HEAD', '/', 'webApp'],
    ['HEAD', '/api/docs', 'reference'],
    ['POST', '/api/v1/sessions', 'createSession'],
    // A stream has no end, so it has no HEAD.
    ['HEAD', '/api/v1/stream', 'method_not_allowed'],
    ['HEAD', '/api/v1/sessions/s/stream', 'method_not_allowed'],
    ['POST', '/api/docs', 'method_not_allowed'],
    ['OPTIONS', '/api/v1/sessions', 'method_not_allowed'],
    ['TRACE', '/api/v1/sessions', 'method_not_allowed'],
    ['PROPFIND', '/api/v1/sessions', 'method_not_allowed'],
    ['get', '/api/v1/sessions', 'method_not_allowed'],
    ['', '/api/v1/sessions', 'method_not_allowed'],
    ['constructor', '/api/v1/sessions', 'method_not_allowed'],
    ['OPTIONS', '/api/v1/nothing', 'not_found'],
    ['POST', '/', 'not_found'],
    ['DELETE', '/assets/index.js', 'not_found'],
  ])('%s %s: %s', (method, target, outcome) => expect(outcomeOf(method, target)).toBe(outcome))

  test.each([
    ['/api/v1/sessions', 'GET, HEAD, POST'],
    ['/api/v1/sessions/s', 'GET, HEAD, PATCH, DELETE'],
    ['/api/v1/sessions/s/stream', 'GET'],
    ['/api/v1/auth/token', 'POST'],
  ])('%s allows %s', (target, allowed) => {
    expect(router.match('PUT', target)).toMatchObject({
      status: 405,
      headers: { Allow: allowed },
      message: `Method not allowed. This path accepts ${allowed}.`,
    })
  })
})

describe('parameters', () => {
  test.each([
    ['s', 's'],
    ['%73', 's'],
    ['a%2fb', 'a/b'],
    ['a%252fb', 'a%2fb'],
    ['%00', '\0'],
    [':id', ':id'],
    ['s;a', 's;a'],
    ['__proto__', '__proto__'],
    // Malformed escapes stay as they are, and then name nothing.
    ['%', '%'],
    ['%zz', '%zz'],
    ['%ff', '%ff'],
    ['%c3%28', '%c3%28'],
  ])('%s in a path is %j', (sent, id) => {
    expect(paramsOf(`/api/v1/sessions/${sent}`)).toEqual({ id })
    expect(paramsOf(`/api/v1/sessions/${sent}/stream`)).toEqual({ id })
  })

  test.each([
    ['', {}],
    ['?', {}],
    ['?&&', {}],
    ['?=x', {}],
    ['?a', { a: '' }],
    ['?a=1&a=2', { a: '1' }],
    ['?a=b+c%2Bd', { a: 'b c+d' }],
    ['?a=%zz', { a: '%zz' }],
    ['?a=1?b', { a: '1?b' }],
  ])('the query %j is %j', (sent, query) => {
    expect(queryOf(`/api/v1/sessions${sent}`)).toEqual(query)
  })

  test('a query cannot reach the prototype', () => {
    const query = queryOf('/api/v1/sessions?__proto__=x&constructor=y')
    expect(Object.keys(Object(query)).sort()).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(query)).toBe(Object.prototype)
  })
})
