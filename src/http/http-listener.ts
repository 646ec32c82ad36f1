import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Limits } from '../auth/limits/limits.ts'
import { maxHeaderBytes, refuseClientError } from './client-error.ts'
import type { RequestHandler } from './request-handler.ts'

// Not imported: `import 'node:http'` also loads `fetch`, which takes a quarter of the start-up time.
const { createServer } = process.getBuiltinModule('node:http')

/** The HTTP server of Node, with refusals for everything that it cannot parse. */
export interface HttpListener {
  /** Starts to listen and returns the port. Rejects with the error of the system. */
  listen(port: number, host: string): Promise<number>
  /** Resolves when the last response is sent. Connections still open after `graceMs` are closed. */
  close(graceMs: number): Promise<void>
}

export interface HttpListenerOptions {
  handle: RequestHandler
  limits: Pick<Limits, 'silent' | 'sockets' | 'headersMs' | 'requestMs'>
  onConnection(socket: Socket): void
}

/** How often Node looks for requests that take too long. */
const checkMs = 5000

export const createHttpListener = ({
  handle,
  limits,
  onConnection,
}: HttpListenerOptions): HttpListener => {
  const { silent, sockets, headersMs, requestMs } = limits
  /** The latest request of each connection. */
  const latest = new WeakMap<Duplex, [IncomingMessage, ServerResponse]>()

  const options = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersMs,
    requestTimeout: Math.max(headersMs, requestMs),
    connectionsCheckingInterval: Math.min(checkMs, headersMs),
  }
  const http = createServer(options, (request, response) => {
    silent.remove(request.socket)
    latest.set(request.socket, [request, response])
    void handle(request, response)
  })
  http.maxConnections = sockets
  http.on('connection', (socket) => {
    silent.add(socket)
    onConnection(socket)
  })
  http.on('clientError', (cause, socket) => {
    const [request, response] = latest.get(socket) ?? []
    // The invalid bytes may be the body of the latest request: then the refusal is its response.
    const isBodyRead = request?.complete === true || response?.headersSent === true
    refuseClientError(cause, socket, isBodyRead && response?.writableFinished === false)
  })

  return {
    async listen(port, host) {
      await new Promise<void>((resolve, reject) => {
        http.once('error', reject)
        http.listen({ port, host, backlog: 1024 }, () => {
          http.off('error', reject)
          resolve()
        })
      })
      const address = http.address()
      return typeof address === 'object' && address ? address.port : port
    },
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      http.closeIdleConnections()
      const timer = setTimeout(() => http.closeAllConnections(), graceMs)
      await closed
      clearTimeout(timer)
    },
  }
}
