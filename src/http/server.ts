import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Auth } from '../auth/auth.ts'
import { createGate } from '../auth/gate.ts'
import { createLimits, type LimitOptions } from '../auth/limits/limits.ts'
import { createOrigins } from '../auth/origins.ts'
import { createAuditor, thisProgram } from '../log/auditor.ts'
import type { Log } from '../log/log.ts'
import { once } from '../shared/once.ts'
import type { Streams } from '../streams/streams.ts'
import { createAddresses, type ServerAddresses } from './addresses.ts'
import type { App } from './app.ts'
import type { AgentContext, Phase } from './app-context.ts'
import { createCallers } from './callers.ts'
import { createHttpListener } from './http-listener.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createRequestHandler } from './request-handler.ts'

/** The parts of a server. The caller opens them, and closes them after the server. */
export interface ServerOptions {
  log: Log
  streams: Streams
  auth: Auth
  /** Opens what works with agents. Called once, for the first request that is not for a stream. */
  openAgents(): AgentContext | Promise<AgentContext>
  /** Directories that projects may be in. */
  roots: readonly string[]
  /** The data directory, which no project may contain or lie in. */
  data?: string | undefined
  /** The address to listen on. The `Host` header of requests must match it. */
  host: string
  /** The URL that browsers use, when a proxy is in front of the server. */
  publicUrl?: string | undefined
  version: string
  /** Counts requests. Pass your own to count events, too. */
  metrics?: Metrics
  limits?: LimitOptions
  /** How long a removed session can be restored. Default: a day. */
  keepRemovedMs?: number
  /** Requires a passkey to allow an approval. Default: as set in the web app. */
  requirePasskeys?: boolean | undefined
  /** The files of the web app, if there are any. */
  webDirectory?: string | undefined
  now?(): number
  /** Receives unexpected errors. */
  onError?(cause: unknown): void
  /** Called for every response that was sent, except streams. */
  onResponse?(response: ResponseInfo): void
}

export interface ResponseInfo {
  method: string
  /** Without the query. */
  path: string
  status: number
  ms: number
}

/** Serves sessions, approvals and streams over HTTP. */
export interface Server {
  /** Where browsers reach it, once it listens. */
  readonly addresses: ServerAddresses
  /** Starts to listen and returns the port. Rejects with the error of the system. */
  listen(port: number): Promise<number>
  /** Loads what the first request that is not for a stream would otherwise wait for. */
  warmUp(): Promise<void>
  /** Deletes removed sessions that can no longer be restored. */
  deleteExpiredSessions(): Promise<void>
  /** Starts nothing new from now on. Callers can still read, decide approvals and abort. */
  drain(): void
  /** Resolves when the last response is sent, or after `graceMs`. Default: 2 seconds. */
  close(graceMs?: number): Promise<void>
}

export const createServer = (options: ServerOptions): Server => {
  const { log, streams, onError = () => {}, metrics = createMetrics() } = options
  const limits = createLimits(options.limits)
  const streamContext = { log, streams, limits }
  const origins = createOrigins(options)
  const recordAction = createAuditor({
    audit: log.audit,
    program: thisProgram,
    now: options.now ?? Date.now,
    onError,
  })
  const addresses = createAddresses({ ...options, origins, port: () => port })
  let port = 0
  let phase: Phase = 'serving'

  // Routes and schemas take longer to load than a stream takes to open, so they load on demand.
  let app: App | undefined
  const loadApp = once(async () => {
    const { createApp } = await import('./app.ts')
    const agents = await options.openAgents()
    app = createApp({
      ...options,
      ...streamContext,
      ...agents,
      addresses,
      recordAction,
      metrics,
      onError,
      phase: () => phase,
    })
    return app
  })

  const callers = createCallers()
  const listener = createHttpListener({
    handle: createRequestHandler({
      gate: createGate({ auth: options.auth, origins, limits, recordAction }),
      streamContext,
      loadApp,
      phase: () => phase,
      refuseAgents: callers.refuseAgents,
      onRequest: observer(metrics, options.onResponse),
      onError,
    }),
    limits,
    onConnection: callers.identify,
  })

  return {
    addresses,
    async listen(wanted) {
      port = await listener.listen(wanted, options.host)
      return port
    },
    async warmUp() {
      await loadApp()
    },
    async deleteExpiredSessions() {
      await (await loadApp()).removal.deleteExpired()
    },
    drain() {
      phase = 'draining'
    },
    async close(graceMs = 2000) {
      phase = 'closing'
      metrics.stop()
      await listener.close(graceMs)
      await app?.close()
    },
  }
}

/** Counts and reports each response when it is sent. */
const observer =
  (metrics: Metrics, onResponse: ServerOptions['onResponse']) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const startedAt = performance.now()
    response.once('finish', () => {
      metrics.countResponse(response.statusCode)
      onResponse?.({
        method: request.method ?? '',
        path: request.url?.split('?', 1)[0] ?? '',
        status: response.statusCode,
        ms: performance.now() - startedAt,
      })
    })
  }
