import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Auth, createAuth } from '../auth/auth.ts'
import { loadBrowserKey } from '../auth/browser-key.ts'
import type { LimitOptions } from '../auth/limits/limits.ts'
import { isLoopback } from '../auth/origins.ts'
import { loadSecret } from '../auth/secret.ts'
import type { StampedEvent } from '../events/types.ts'
import { createMetrics } from '../http/metrics.ts'
import { createServer, type ResponseInfo } from '../http/server.ts'
import { writeServerFile } from '../http/server-file.ts'
import { createAuditor, thisProgram } from '../log/auditor.ts'
import type { Log } from '../log/log.ts'
import { version } from '../process/version.ts'
import type { SessionLifecycleEvent } from '../session/registry/sessions.ts'
import { Fault } from '../shared/fault.ts'
import type { StreamFigures } from '../streams/figures.ts'
import { createStreams } from '../streams/streams.ts'
import type { AgentRuntime } from './agent-runtime.ts'
import { listenFault } from './listen-fault.ts'

/** Options of the HTTP server that `openSluice` starts. */
export interface HttpOptions {
  /** Address to listen on. Default: 127.0.0.1. */
  host?: string | undefined
  /** Port to listen on; 0 picks a free one. Default: 3000. */
  port?: number | undefined
  /** How browsers reach the server when a proxy stands before it. */
  publicUrl?: string | undefined
  /** `false` lets everybody do everything; refused unless `host` is a loopback address. */
  auth?: boolean | undefined
  /** Limits on requests, bodies and connections. */
  limits?: LimitOptions | undefined
  /** Called when the server listens; agents are loaded once it returns. */
  onListening?(server: HttpServer): void | Promise<void>
  /** Called for every response except streams. */
  onResponse?(response: ResponseInfo): void
}

/** The running HTTP server. */
export interface HttpServer {
  /** The address for this machine, such as `http://127.0.0.1:3000/`. */
  readonly url: string
  /** Creates, lists and revokes the API keys of clients. */
  readonly keys: Auth['keys']
  /** The address for a browser, with the token that signs it in. */
  browserUrl(): Promise<string>
  /** Refuses new work from now on. People can still watch, approve and abort. */
  drain(): void
  /** How many readers are connected, and what was sent to them. */
  figures(): StreamFigures
}

interface HttpServerParts {
  data: string
  log: Log
  roots?: readonly string[] | undefined
  http: HttpOptions
  runtime(): Promise<AgentRuntime>
  onError(cause: unknown): void
}

/** The server with what only `openSluice` calls. */
export interface OwnedHttpServer extends HttpServer {
  /** Starts to listen. Rejects with a `not_listening` fault. */
  listen(): Promise<void>
  /** Loads the routes, and removes for good what was deleted long ago. */
  loadRoutes(): Promise<void>
  /** Sends a stored event to the readers of its session. */
  publish(event: StampedEvent): void
  /** Tells readers that a session was created, changed or removed. */
  publishLifecycle(event: SessionLifecycleEvent): void
  /** Tells all readers that the server does less than it promises. */
  notifyDegraded(reason: string): void
  close(): Promise<void>
}

const defaultHost = '127.0.0.1'
const sweepMs = 60 * 60 * 1000

/** Refuses options that would let everybody in. */
export const checkHttpOptions = ({ host = defaultHost, auth = true }: HttpOptions): void => {
  if (auth || isLoopback(host)) return
  throw new Fault(
    'usage',
    'Without authentication, the server can only listen on a loopback address.',
  )
}

/** Puts the server together: authentication, streams, and routes that are loaded later. */
export const openHttpServer = (parts: HttpServerParts): OwnedHttpServer => {
  const { data, log, onError } = parts
  const { host = defaultHost, port = 3000, publicUrl, auth: needsToken = true } = parts.http
  const auth = createAuth({
    keys: log.keys,
    secret: loadSecret(data),
    isRequired: needsToken,
    recordAction: createAuditor({
      audit: log.audit,
      program: thisProgram,
      now: Date.now,
      onError,
    }),
  })
  const metrics = createMetrics()
  const streams = createStreams({ log, onError })
  const server = createServer({
    ...serverOptions(parts),
    auth,
    metrics,
    streams,
  })
  const sweep = () => void server.deleteExpiredSessions().catch(onError)
  const sweeping = setInterval(sweep, sweepMs).unref()
  let url = ''
  let removeServerFile = () => {}

  const opened: OwnedHttpServer = {
    get url() {
      return url
    },
    keys: auth.keys,
    async browserUrl() {
      const address = publicUrl ?? url
      return needsToken ? `${address}#token=${await loadBrowserKey(data, auth)}` : address
    },
    drain: server.drain,
    figures: streams.figures,
    async listen() {
      const actual = await server.listen(port).catch((cause: unknown) => {
        throw listenFault(cause, host, port)
      })
      url = `http://${hostName(host)}:${actual}/`
      removeServerFile = writeServerFile(data, { url, pid: process.pid })
      await parts.http.onListening?.(opened)
    },
    async loadRoutes() {
      await server.warmUp()
      sweep()
    },
    publish(event) {
      metrics.countEvent(event)
      streams.publish(event)
    },
    publishLifecycle: streams.publishLifecycle,
    notifyDegraded: streams.notifyDegraded,
    async close() {
      clearInterval(sweeping)
      removeServerFile()
      await Promise.all([server.close(), streams.close()])
      auth.close()
    },
  }
  return opened
}

/** What the server needs beside the parts that are opened for it. */
const serverOptions = ({ data, log, runtime, onError, http, roots }: HttpServerParts) => ({
  data,
  log,
  host: http.host ?? defaultHost,
  publicUrl: http.publicUrl,
  roots: roots ?? [homedir(), process.cwd()],
  version,
  openAgents: async () => (await runtime()).context,
  webDirectory: webDirectory(),
  onError,
  ...(http.limits && { limits: http.limits }),
  onResponse: (response: ResponseInfo) => http.onResponse?.(response),
})

/** How this machine reaches an address that the server listens on. */
const hostName = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** The web app as it was built; from sources, where `npm start` puts it. */
const webDirectory = (): string | undefined => {
  const candidates = ['../web', '../../.cache/web'].map((path) => join(import.meta.dirname, path))
  return candidates.find((path) => existsSync(join(path, 'index.html')))
}
