import type { ServerResponse } from 'node:http'
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server'
import { Hono } from 'hono'
import { credentialsOf } from '../auth/gate.ts'
import { dataHeaders } from '../auth/headers.ts'
import { Problem, problemBody, problemHeaders } from '../shared/problem.ts'
import type { AgentContext, AppContext, StreamContext } from './app-context.ts'
import { createCommandOrder } from './command-order.ts'
import type { Metrics } from './metrics.ts'
import { mountPages } from './pages.ts'
import { createProjectRoots } from './project-roots.ts'
import { problemOf } from './refusal.ts'
import { createRemoval } from './removal.ts'
import { createAnswerer } from './routes/answer.ts'
import { base, routes } from './routes/index.ts'
import type { Route, RouteResponse } from './routes/route.ts'
import { sendStream } from './send-stream.ts'

export interface AppOptions
  extends StreamContext,
    AgentContext,
    Pick<AppContext, 'auth' | 'announce' | 'version' | 'report'> {
  roots: readonly string[]
  metrics: Metrics
  keepRemovedMs?: number
  webDirectory?: string | undefined
  now?(): number
}

/** Everything but the streams, as a listener for `node:http`. */
export const createApp = (options: AppOptions) => {
  const world = worldOf(options)
  const app = new Hono<{ Bindings: HttpBindings }>()
  const answer = createAnswerer(world)

  for (const route of routes)
    app.on(route.method, base + route.path, async (context) =>
      responseOf(
        await answer(route, {
          incoming: context.env.incoming,
          params: context.req.param(),
          query: context.req.query(),
        }),
        context.env.outgoing,
        world.report,
      ),
    )
  for (const [path, allowed] of methodsOf(routes))
    app.all(base + path, (context) => {
      world.gate.checkOrigin(credentialsOf(context.env.incoming))
      throw methodRefused(allowed)
    })
  mountPages(app, world)
  app.notFound((context) => {
    world.gate.checkOrigin(credentialsOf(context.env.incoming))
    throw new Problem(404, 'not_found', 'There is nothing at this path.')
  })

  const refuse = (cause: unknown): Response =>
    refusal(cause instanceof RequestError ? unreadable() : problemOf(cause, world.report))
  app.onError(refuse)
  return {
    listener: getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler: refuse }),
    removal: world.removal,
  }
}
export type App = ReturnType<typeof createApp>

const worldOf = (options: AppOptions): AppContext => {
  const { now = Date.now, version, feeds, metrics, keepRemovedMs } = options
  return {
    ...options,
    now,
    webDirectory: options.webDirectory,
    roots: createProjectRoots(options.roots),
    commandOrder: createCommandOrder(),
    removal: createRemoval({
      ...options,
      now,
      ...(keepRemovedMs !== undefined && { keepMs: keepRemovedMs }),
    }),
    figures: async () =>
      metrics.text({ version, feed: feeds.figures(), sessions: await feeds.totals() }),
  }
}

const unreadable = () => new Problem(400, 'bad_request', 'The request cannot be read.')

const methodRefused = (allowed: readonly string[]): Problem =>
  new Problem(405, 'method_not_allowed', `Here are only ${allowed.join(', ')}.`, undefined, {
    Allow: allowed.join(', '),
  })

/** The methods of each path. */
const methodsOf = (table: readonly Route[]): Map<string, string[]> => {
  const found = new Map<string, string[]>()
  for (const { path, method } of table) {
    const allowed = found.get(path) ?? []
    const isWhole = method === 'GET' && !path.endsWith('/stream')
    found.set(path, [...allowed, ...(isWhole ? ['GET', 'HEAD'] : [method])])
  }
  return found
}

/** Every answer says that it is data, and is kept by nobody unless it says otherwise itself. */
const responseOf = (
  { status, headers, body, bytes, pieces }: RouteResponse,
  outgoing: ServerResponse,
  report: AppContext['report'],
): Response => {
  const all = { ...defaults, ...(body !== undefined && { 'Content-Type': json }), ...headers }
  if (pieces) return sendStream(outgoing, { headers: all, source: pieces }, report)
  if (body !== undefined) return new Response(JSON.stringify(body), { status, headers: all })
  const content = bytes instanceof Uint8Array ? new Uint8Array(bytes) : (bytes ?? null)
  return new Response(content, { status, headers: all })
}

const json = 'application/json'
const defaults = { ...dataHeaders, 'Cache-Control': 'no-store' }

const refusal = (problem: Problem): Response =>
  new Response(JSON.stringify(problemBody(problem)), {
    status: problem.status,
    headers: {
      ...dataHeaders,
      ...problemHeaders(problem),
      // What is left of the body is not read.
      ...((problem.code === 'too_large' || problem.code === 'overloaded') && {
        Connection: 'close',
      }),
    },
  })
