import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { createGate } from '../auth/gate.ts'
import { dataHeaders } from '../auth/headers.ts'
import { createLimits, type LimitOptions } from '../auth/limits/limits.ts'
import { createOrigins } from '../auth/origins.ts'
import { type Problem, problemBody, problemHeaders } from '../shared/problem.ts'
import type { App } from './app.ts'
import type { AgentContext, AppContext, Phase, StreamContext } from './app-context.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createStreamOpener } from './open-stream.ts'
import { problemOf } from './refusal.ts'
import { streamPathOf } from './stream-path.ts'
import { headerBytes, refuseUnreadable } from './unreadable.ts'

// Not by an import: that one would load all of `fetch` too, a quarter of the time that a start takes.
const { createServer: createHttpServer } = process.getBuiltinModule('node:http')

/** What a server is made of. Whoever gives these closes them, after the server. */
export interface ServerOptions extends Pick<AppContext, 'log' | 'feeds' | 'auth' | 'announce'> {
  /** What works with agents; asked for once, with the first request that is not for a stream. */
  work(): AgentContext | Promise<AgentContext>
  /** Directories below which projects may lie. */
  roots: readonly string[]
  /** What it will listen on: the `Host` of requests is compared with it. */
  host: string
  /** How it is reached from outside, where a proxy stands before it. */
  publicUrl?: string | undefined
  version: string
  /** Counts events too, if it is given them; else only requests. */
  metrics?: Metrics
  limits?: LimitOptions
  /** How long a removed session can be taken back. */
  keepRemovedMs?: number
  /** Where the files of the web app are, if there are any. */
  webDirectory?: string | undefined
  now?(): number
  /** Takes what went wrong unexpectedly. */
  report?(cause: unknown): void
  /** Told of every answer but streams, when it is sent. */
  onAnswer?(answered: Answered): void
}

export interface Answered {
  method: string
  /** Without the query. */
  path: string
  status: number
  ms: number
}

/** Sessions, approvals and streams over HTTP. Streams are open as soon as it listens. */
export const createServer = (options: ServerOptions) => {
  const { log, feeds, host, report = () => {}, metrics = createMetrics() } = options
  const limits = createLimits(options.limits)
  const gate = createGate({ auth: options.auth, origins: createOrigins(options), limits })
  let phase: Phase = 'serving'
  const streams: StreamContext = { log, feeds, gate, limits, phase: () => phase }
  const openStream = createStreamOpener(streams)

  // Routes and schemas take longer to load than a stream takes to open: they come behind it.
  let loading: Promise<App> | undefined
  const load = async (): Promise<App> => {
    const { createApp } = await import('./app.ts')
    return createApp({ ...options, ...streams, ...(await options.work()), metrics, report })
  }
  const app = (): Promise<App> => {
    loading ??= load().catch((cause: unknown) => {
      loading = undefined // the next request tries again
      throw cause
    })
    return loading
  }

  const note = (request: IncomingMessage, response: ServerResponse): void => {
    const begun = performance.now()
    response.once('finish', () => {
      metrics.request(response.statusCode)
      options.onAnswer?.({
        method: request.method ?? '',
        path: request.url?.split('?', 1)[0] ?? '',
        status: response.statusCode,
        ms: performance.now() - begun,
      })
    })
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const stream = streamPathOf(request.method, request.url)
    if (stream) return openStream(stream, request, response)
    note(request, response)
    const { listener } = await app()
    await listener(request, response)
  }

  /** The last request of each connection. */
  const latest = new WeakMap<Duplex, [IncomingMessage, ServerResponse]>()

  const http = createHttpServer({ maxHeaderSize: headerBytes }, (request, response) => {
    latest.set(request.socket, [request, response])
    answer(request, response).catch((cause: unknown) =>
      sendRefusal(response, problemOf(cause, report)),
    )
  })
  http.on('clientError', (cause, socket) => {
    const [request, response] = latest.get(socket) ?? []
    // What is wrong may be in the body of that request, and then the refusal is its answer.
    const isWhole = request?.complete === true || response?.headersSent === true
    refuseUnreadable(cause, socket, isWhole && response?.writableFinished === false)
  })

  return {
    /** Begins to listen; gives the port. Rejects with the system’s own error. */
    async listen(port: number): Promise<number> {
      await new Promise<void>((resolve, reject) => {
        http.once('error', reject)
        http.listen({ port, host, backlog: 1024 }, () => {
          http.off('error', reject)
          resolve()
        })
      })
      const address: AddressInfo | string | null = http.address()
      return typeof address === 'object' && address ? address.port : port
    },
    /** Loads what the first request that is not for a stream would have to wait for. */
    async warmUp(): Promise<void> {
      await app()
    },
    /** Takes removed sessions for good that nobody wanted back in time. */
    async sweep(): Promise<void> {
      await (await app()).removal.sweep()
    },
    /** From now on nothing new is begun; people may still look, decide and abort. */
    finish(): void {
      phase = 'finishing'
    },
    /** Ends when the last answer is out, or when it has waited long enough. */
    async close(graceMs = 2000): Promise<void> {
      phase = 'closing'
      metrics.stop()
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      http.closeIdleConnections()
      const late = setTimeout(() => http.closeAllConnections(), graceMs)
      await closed
      clearTimeout(late)
    },
  }
}
export type Server = ReturnType<typeof createServer>

/** Refuses where no framework stands between. */
const sendRefusal = (response: ServerResponse, problem: Problem): void => {
  if (response.headersSent) return void response.destroy()
  response.writeHead(problem.status, { ...dataHeaders, ...problemHeaders(problem) })
  response.end(JSON.stringify(problemBody(problem)))
}
