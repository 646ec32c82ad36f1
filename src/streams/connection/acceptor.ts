import type { ServerResponse } from 'node:http'
import type { StreamCounters } from '../figures.ts'
import type { IncomingStreamRequest } from '../streams.ts'
import { createStreamConnection, type StreamConnection } from './connection.ts'
import { acceptsGzip, createGzip, type Encoding, identity } from './encoding.ts'

/**
 * Turns requests into connections, and holds all that are open. Both kinds of stream call `accept`;
 * `streams.ts` calls the rest.
 */
export interface Acceptor {
  /**
   * Sends the head of the response and returns the connection for the body. Undefined when the
   * client is gone already, its access has ended, or the server is closing.
   */
  accept(request: IncomingStreamRequest, hooks: ConnectionHooks): StreamConnection | undefined
  /** Sends a frame on all connections. */
  broadcast(frame: string): void
  /** Sends a frame on all later connections, after what they begin with; undefined: no more. */
  setOpeningNotice(frame: string | undefined): void
  /** Lets connections send heartbeats. Called at regular intervals. */
  tick(): void
  /** Ends all connections with a last frame, and accepts no more. */
  close(lastFrame: string): Promise<void>
}

export interface ConnectionHooks {
  /** The connection accepts more again. */
  onDrain(): void
  onClose(): void
}

export interface AcceptorOptions {
  counters: StreamCounters
  graceMs: number
}

export const createAcceptor = (options: AcceptorOptions): Acceptor => {
  const connections = new Set<StreamConnection>()
  let isClosed = false
  let openingNotice: string | undefined

  return {
    accept({ request, response, signal }, { onDrain, onClose }) {
      const { socket } = request
      if (socket.destroyed) return undefined
      if (isClosed || signal.aborted) {
        socket.destroy()
        return undefined
      }
      const encoding = acceptsGzip(request.headers['accept-encoding']) ? createGzip() : identity
      const destroy = () => connection.destroy()
      const connection = createStreamConnection({
        ...options,
        socket,
        encoding,
        onDrain,
        onClose() {
          signal.removeEventListener('abort', destroy)
          connections.delete(connection)
          onClose()
        },
      })
      signal.addEventListener('abort', destroy)
      connections.add(connection)
      // The head and the first frames leave in one packet.
      socket.cork()
      process.nextTick(() => {
        if (openingNotice !== undefined) connection.sendDirect(openingNotice)
        socket.uncork()
      })
      socket.write(responseHead(response, encoding))
      return connection
    },
    broadcast(frame) {
      for (const connection of connections) connection.sendDirect(frame)
    },
    setOpeningNotice(frame) {
      openingNotice = frame
    },
    tick() {
      for (const connection of connections) connection.tick()
    },
    async close(lastFrame) {
      isClosed = true
      await Promise.all([...connections].map((connection) => connection.end(lastFrame)))
    },
  }
}

/**
 * The head of the response, written without `node:http` so that the body can go straight to the
 * socket: the same bytes for all clients. The body has neither length nor chunks and lasts until
 * the connection closes, so it can be cut anywhere.
 */
const responseHead = (response: ServerResponse, encoding: Encoding): Buffer => {
  const { vary, ...common } = response.getHeaders() // what the server sends with every response
  const headers = {
    ...common,
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    vary: [vary ?? [], 'Accept-Encoding'].flat().join(', '),
    ...(encoding.name !== undefined && { 'content-encoding': encoding.name }),
    connection: 'close',
  }
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => `${name}: ${each}`),
  )
  return Buffer.from(['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n'), 'latin1')
}
