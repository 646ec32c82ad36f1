import { Problem } from '../shared/problem.ts'
import type { Endpoint } from './endpoints.ts'

/** A request that an endpoint accepts. */
export interface RouteMatch {
  endpoint: Endpoint
  /** Path parameters, decoded. */
  params: Record<string, string>
  /** Query parameters, decoded. Of a repeated one, the first. */
  query: Record<string, string>
  /** The path as it was sent, with dot segments resolved. */
  path: string
}

/** Finds the endpoint of a request. */
export interface Router {
  /** Returns a `Problem` to send, 400, 404 or 405, when there is no endpoint. Never throws. */
  match(method: string | undefined, target: string | undefined): RouteMatch | Problem
}

/** A path with its methods. */
interface Resource {
  segments: readonly string[]
  methods: ReadonlyMap<string, Endpoint>
}

export const createRouter = (table: readonly Endpoint[]): Router => {
  const isFallback = ({ path }: Endpoint) => path === '/*'
  const fallback = methodsOf(table.filter(isFallback))
  const resources = resourcesOf(table.filter((endpoint) => !isFallback(endpoint)))
  const reserved = new Set(resources.map(({ segments: [first] }) => first))
  const byLength = Map.groupBy(resources, ({ segments }) => segments.length)

  return {
    match(method = '', target = '') {
      const url = parseTarget(target)
      if (!url) return malformed()
      const segments = segmentsOf(url.pathname)
      const resource = byLength.get(segments.length)?.find((each) => fits(each.segments, segments))
      const methods = resource?.methods ?? (reserved.has(segments[0]) ? undefined : fallback)
      const endpoint = methods?.get(method)
      if (!endpoint) return resource ? methodNotAllowed(resource) : notFound()
      if (url.searchParams.size > maxQueryParams) return tooManyParams()
      const params = paramsOf(resource?.segments ?? [], segments)
      return { endpoint, params, query: queryOf(url.searchParams), path: url.pathname }
    },
  }
}

/** Every endpoint by its method. GET serves HEAD as well, except for streams, which have no end. */
const methodsOf = (endpoints: readonly Endpoint[]): Map<string, Endpoint> => {
  const methods = new Map<string, Endpoint>()
  for (const endpoint of endpoints) {
    methods.set(endpoint.method, endpoint)
    if (endpoint.method === 'GET' && !endpoint.isStream) methods.set('HEAD', endpoint)
  }
  return methods
}

const resourcesOf = (endpoints: readonly Endpoint[]): Resource[] =>
  Array.from(
    Map.groupBy(endpoints, ({ path }) => path),
    ([path, same]) => ({
      segments: segmentsOf(path),
      methods: methodsOf(same),
    }),
  )

/**
 * The URL of a request target: a path (`/x?y`), or a whole URL as proxies send it. Undefined for
 * everything else, and for backslashes, which URLs would turn into slashes.
 */
const parseTarget = (target: string): URL | undefined => {
  if (/^[^?]*\\/.test(target)) return undefined
  if (target.startsWith('/')) return URL.parse(`http://localhost${target}`) ?? undefined
  return /^https?:\/\//.test(target) ? (URL.parse(target) ?? undefined) : undefined
}

const segmentsOf = (path: string): string[] => path.slice(1).split('/').map(decoded)

/** A segment with malformed escapes stays as it is: it names nothing, so it leads to a 404. */
const decoded = (segment: string): string => {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const isParam = (segment: string): boolean => segment.startsWith(':')

const fits = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.every((each, index) =>
    isParam(each) ? segments[index] !== '' : each === segments[index],
  )

const paramsOf = (
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    pattern.flatMap((each, index) =>
      isParam(each) ? [[each.slice(1), segments[index] ?? '']] : [],
    ),
  )

const queryOf = (search: URLSearchParams): Record<string, string> =>
  search.size === 0 ? {} : Object.fromEntries([...search].filter(([name]) => name !== '').reverse())

/** No route has more than ten, but a URL has room for thousands. */
const maxQueryParams = 100

const tooManyParams = (): Problem =>
  new Problem(400, 'bad_request', `The query has more than ${maxQueryParams} parameters.`)

const malformed = (): Problem =>
  new Problem(400, 'bad_request', 'The request target is not a path such as /api/v1/health.')

const notFound = (): Problem =>
  new Problem(404, 'not_found', 'There is nothing at this path. See /api/docs for all paths.')

const methodNotAllowed = ({ methods }: Resource): Problem => {
  const allowed = [...methods.keys()].join(', ')
  return new Problem(
    405,
    'method_not_allowed',
    `Method not allowed. This path accepts ${allowed}.`,
    {},
    { Allow: allowed },
  )
}
