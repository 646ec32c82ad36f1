import { createPasskeys } from '../auth/passkeys.ts'
import { freeSpaceOf } from '../files/free-space.ts'
import { projectReaders } from '../trust/project-readers.ts'
import { createTrustedProjects } from '../trust/trusted-projects.ts'
import type { AgentContext, AppContext, EndpointHandler, StreamContext } from './app-context.ts'
import { createCommandOrder } from './command-order.ts'
import type { Endpoint } from './endpoints.ts'
import { hasMoved, requestFromNode, responseToForward } from './forwarding.ts'
import { createKeyQuotas } from './key-quotas.ts'
import type { Metrics } from './metrics.ts'
import { createPages } from './pages.ts'
import { problemOf } from './problem-of.ts'
import { createProjectRoots } from './project-roots.ts'
import { createRemoval, type Removal } from './removal.ts'
import { routes } from './routes/index.ts'
import { createRouteRunner } from './routes/run-route.ts'
import { createSearch } from './search/search.ts'
import { problemResponse } from './send-response.ts'

export interface AppOptions
  extends StreamContext,
    AgentContext,
    Pick<AppContext, 'auth' | 'addresses' | 'recordAction' | 'phase' | 'version' | 'onError'> {
  roots: readonly string[]
  data?: string | undefined
  metrics: Metrics
  keepRemovedMs?: number
  /** Whether allowing an approval needs a passkey, whatever the setting is. */
  requirePasskeys?: boolean | undefined
  webDirectory?: string | undefined
  now?(): number
}

/** Serves everything except streams. */
export interface App {
  /** Makes the response of an authorized request. */
  respond: EndpointHandler
  /** Removes sessions, and deletes them later. */
  removal: Removal
  /** Ends the thread that searches. */
  close(): Promise<void>
}

export const createApp = (options: AppOptions): App => {
  const context = contextOf(options)
  const runner = createRouteRunner(context)
  const handlers = new Map<Endpoint, EndpointHandler>([
    ...routes.map((route) => [route.endpoint, runner.handlerOf(route)] as const),
    ...createPages(context),
  ])

  context.nodes?.serve(async (forwarded) => {
    try {
      const request = await requestFromNode(context, forwarded)
      const route = routes.find(({ endpoint }) => endpoint === request.endpoint)
      if (!route) throw new Error(`no route for ${forwarded.endpoint}`)
      return responseToForward(await runner.runForwarded(route, request, forwarded.body))
    } catch (cause) {
      const response = responseToForward(problemResponse(problemOf(cause, context.onError)))
      return hasMoved(cause) ? { ...response, hasMoved: true } : response
    }
  })

  return {
    async respond(request) {
      const handler = handlers.get(request.endpoint)
      if (!handler) throw new Error(`no handler for ${request.endpoint.path}`)
      return handler(request)
    },
    removal: context.removal,
    close: context.search.close,
  }
}

const contextOf = (options: AppOptions): AppContext => {
  const { now = Date.now, version, streams, metrics, keepRemovedMs } = options
  return {
    ...options,
    now,
    data: options.data,
    webDirectory: options.webDirectory,
    passkeys: createPasskeys({ ...options.log, isForced: options.requirePasskeys === true, now }),
    quotas: createKeyQuotas(options.log, {
      sessions: options.limits.sessionsPerKey,
      diskBytes: options.limits.diskBytesPerKey,
    }),
    roots: createProjectRoots(options.roots),
    trust: createTrustedProjects({ log: options.log, agents: projectReaders, now }),
    commandOrder: createCommandOrder(),
    search: createSearch(options),
    removal: createRemoval({
      ...options,
      now,
      ...(keepRemovedMs !== undefined && { keepMs: keepRemovedMs }),
    }),
    metricsText: async () =>
      metrics.format({
        version,
        streams: streams.figures(),
        sessions: await streams.totals(),
        space: await options.log.space(),
        diskFreeBytes: options.data === undefined ? undefined : await freeSpaceOf(options.data),
        retention: options.retentionStatus?.(),
        cluster: await options.clusterFigures?.(),
      }),
  }
}
