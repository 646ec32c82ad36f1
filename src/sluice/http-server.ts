import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Auth, createAuth } from '../auth/auth.ts'
import type { LimitOptions } from '../auth/limits/limits.ts'
import { removeOldCredentials } from '../auth/old-credentials.ts'
import { isLoopback } from '../auth/origins.ts'
import type { TailReaders } from '../cluster/event-tail.ts'
import type { LoopInfo, StampedEvent } from '../events/types.ts'
import type { ServerAddresses } from '../http/addresses.ts'
import { openControlSocket } from '../http/control-socket.ts'
import { createMetrics } from '../http/metrics.ts'
import { pairingLink } from '../http/pairing-links.ts'
import { createServer, type ResponseInfo } from '../http/server.ts'
import { writeServerFile } from '../http/server-file.ts'
import { createAuditor, thisProgram } from '../log/auditor.ts'
import type { Log } from '../log/log.ts'
import { version } from '../process/version.ts'
import type { SessionLifecycleEvent } from '../session/registry/sessions.ts'
import { Fault } from '../shared/fault.ts'
import { defined } from '../shared/fields.ts'
import type { StreamFigures } from '../streams/figures.ts'
import { createStreams } from '../streams/streams.ts'
import type { AgentRuntime } from './agent-runtime.ts'
import type { JoinedNode } from './join-cluster.ts'
import { listenFault } from './listen-fault.ts'

/** Options of the HTTP server that `openSluice` starts. */
export interface HttpOptions {
  /** Address to listen on. Default: 127.0.0.1. */
  host?: string | undefined
  /** Port to listen on; 0 picks a free one. Default: 3000. */
  port?: number | undefined
  /** How browsers reach the server when a proxy stands before it. */
  publicUrl?: string | undefined
  /**
   * `false` lets everybody do everything. It is refused with a `publicUrl`, and unless `host` is a
   * loopback address.
   */
  auth?: boolean | undefined
  /** `true` requires a passkey to allow an approval. Default: as set in the web app. */
  passkeys?: boolean | undefined
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
  /** The addresses that browsers and other devices reach. */
  readonly addresses: ServerAddresses
  /**
   * A link that signs one browser in, within two minutes: a new one at each call. For an address of
   * your own, pass it. Without authentication, just the address.
   */
  pairingUrl(address?: string): string
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
  /** Present when several nodes share the log. */
  node?: Pick<JoinedNode, 'cluster'> | undefined
  onError(cause: unknown): void
}

/** The server with what only `openSluice` calls. */
export interface OwnedHttpServer extends HttpServer {
  /** Starts to listen. Rejects with a `not_listening` fault. */
  listen(): Promise<void>
  /** Loads the routes, and removes for good what was deleted long ago. */
  loadRoutes(): Promise<void>
  /** Where the events of other nodes go. */
  readonly readers: TailReaders
  /** Sends a stored event to the readers of its session. */
  publish(event: StampedEvent): void
  /** Sends a stored event of long ago to the readers of its session, if there are any. */
  publishHistory(event: StampedEvent): void
  /** Sends readers what happened to a session as a whole: created, changed or removed. */
  publishLifecycle(event: SessionLifecycleEvent): void
  /** Sends readers a loop that was created or changed. */
  publishLoop(loop: LoopInfo): void
  /** Sends all readers why the server accepts no work; undefined: it works again. */
  setDegraded(reason: string | undefined): void
  close(): Promise<void>
}

const defaultHost = '127.0.0.1'
const sweepMs = 60 * 60 * 1000

/** Refuses options that would let everybody in. */
export const checkHttpOptions = (options: HttpOptions): void => {
  const { host = defaultHost, auth = true, publicUrl } = options
  if (auth) return
  if (!isLoopback(host))
    throw new Fault(
      'usage',
      `Without sign-in, everybody who reaches ${host} could run commands on this machine. Use --no-auth on a loopback address only, or leave it out.`,
    )
  if (publicUrl !== undefined)
    throw new Fault(
      'usage',
      `Without sign-in, everybody who reaches ${publicUrl} could run commands on this machine. Leave out --no-auth or --public-url.`,
    )
}

/** Puts the server together: authentication, streams, and routes that are loaded later. */
export const openHttpServer = async (parts: HttpServerParts): Promise<OwnedHttpServer> => {
  const { data, log, onError } = parts
  const { host = defaultHost, port = 3000, auth: isRequired = true } = parts.http
  await removeOldCredentials(data, log.keys)
  const auth = createAuth({
    ...log,
    serverId: await randomSetting(log, 'server_id', 6),
    // Nodes accept each other’s tokens. Those of a single process end with it.
    ...(log.shared && { secret: Buffer.from(await randomSetting(log, 'token_secret', 32), 'hex') }),
    isRequired,
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
    // Where several nodes share the log, readers get what the log reports.
    streams: parts.node ? { ...streams, publishLifecycle: () => {} } : streams,
  })
  const { addresses } = server
  let sweep = Promise.resolve()
  const startSweep = () => {
    // Of several nodes, one deletes.
    if (parts.node?.cluster.isHousekeeper() === false) return
    sweep = server.deleteExpiredSessions().catch(onError)
  }
  const sweeping = setInterval(startSweep, sweepMs).unref()
  let url = ''
  let release = () => {}

  const opened: OwnedHttpServer = {
    get url() {
      return url
    },
    addresses,
    keys: auth.keys,
    pairingUrl: (address = addresses.own()) =>
      isRequired ? pairingLink(address, auth.signIn.createCode().code) : address,
    drain: server.drain,
    figures: streams.figures,
    async listen() {
      await server.listen(port).catch((cause: unknown) => {
        throw listenFault(cause, host, port)
      })
      url = addresses.local()
      release = await openToCommandLine({ data, url, node: parts.node?.cluster.node }, auth)
      await parts.http.onListening?.(opened)
    },
    async loadRoutes() {
      await server.warmUp()
      startSweep()
    },
    publish(event) {
      metrics.countEvent(event)
      streams.publish(event)
    },
    publishHistory: streams.publishHistory,
    publishLifecycle: streams.publishLifecycle,
    publishLoop: streams.publishLoop,
    readers: streams,
    setDegraded: streams.setDegraded,
    async close() {
      clearInterval(sweeping)
      release()
      // The log closes next, and the sweep reads it.
      await Promise.all([server.close(), streams.close(), sweep])
      auth.close()
    },
  }
  return opened
}

/** Lets the command line find the server and get in; returns how to end that. */
const openToCommandLine = async (
  { data, ...server }: { data: string; url: string; node: string | undefined },
  auth: Auth,
): Promise<() => void> => {
  const socket = await openControlSocket(data, auth.createTicket)
  const { path: control } = socket
  const file = { pid: process.pid, ...defined({ ...server, control }) }
  const removeFile = writeServerFile(data, file)
  return () => {
    removeFile()
    socket.close()
  }
}

/**
 * A random value that is made once: an id of the data directory, which is part of the name of its
 * cookies, and what signs the tokens of all nodes.
 */
const randomSetting = async ({ settings }: Log, id: string, bytes: number): Promise<string> => {
  const stored = await settings.get(id)
  if (stored) return stored.value
  const made = { id, value: randomBytes(bytes).toString('hex') }
  return (await settings.change(id, (record) => record ?? made))?.value ?? made.value
}

/** What the server needs beside the parts that are opened for it. */
const serverOptions = ({ data, log, runtime, onError, http, roots }: HttpServerParts) => ({
  data,
  log,
  host: http.host ?? defaultHost,
  publicUrl: http.publicUrl,
  requirePasskeys: http.passkeys,
  roots: roots ?? [homedir(), process.cwd()],
  version,
  openAgents: async () => (await runtime()).context,
  webDirectory: webDirectory(),
  onError,
  ...(http.limits && { limits: http.limits }),
  onResponse: (response: ResponseInfo) => http.onResponse?.(response),
})

/** The web app as it was built; from sources, where `npm start` puts it. */
const webDirectory = (): string | undefined => {
  const candidates = ['../web', '../../.cache/web'].map((path) => join(import.meta.dirname, path))
  return candidates.find((path) => existsSync(join(path, 'index.html')))
}
