import type { IncomingMessage, ServerResponse } from 'node:http'
import type { StreamCounters } from '../figures.ts'
import { createStreamConnection, type StreamConnection } from './connection.ts'
import { identity, wantsGzip } from './encoding.ts'
import { createGzip } from './gzip.ts'
import { responseHead } from './response-head.ts'

/** A request that is to become a stream. */
export interface AcceptRequest {
  request: IncomingMessage
  response: ServerResponse
  signal: AbortSignal
}

export interface Acceptor {
  /**
   * Begins the answer, and hands the connection over to be filled; undefined when the other side is
   * gone already, or may no longer read.
   */
  accept(
    asked: AcceptRequest,
    hooks: { onDrain(): void; onClose(): void },
  ): StreamConnection | undefined
  /** Says something on all connections. */
  say(text: string): void
  /** Called at even intervals. */
  tick(): void
  /** Ends all connections with a last word, and takes no more. */
  close(lastWord: string): Promise<void>
}

export const createAcceptor = (options: {
  counters: StreamCounters
  graceMs: number
}): Acceptor => {
  const connections = new Set<StreamConnection>()
  let isClosed = false

  return {
    accept({ request, response, signal }, { onDrain, onClose }) {
      const { socket } = request
      if (socket.destroyed) return undefined
      if (isClosed || signal.aborted) {
        socket.destroy()
        return undefined
      }
      const coding = wantsGzip(request.headers['accept-encoding']) ? createGzip() : identity
      const cut = () => connection.cut()
      const connection = createStreamConnection({
        ...options,
        socket,
        coding,
        onDrain,
        onClose() {
          signal.removeEventListener('abort', cut)
          connections.delete(connection)
          onClose()
        },
      })
      signal.addEventListener('abort', cut)
      connections.add(connection)
      // One packet for the head and whatever the stream begins with.
      socket.cork()
      process.nextTick(() => socket.uncork())
      socket.write(responseHead(response, coding))
      return connection
    },
    say(text) {
      for (const connection of connections) connection.say(text)
    },
    tick() {
      for (const connection of connections) connection.tick()
    },
    async close(lastWord) {
      isClosed = true
      await Promise.all([...connections].map((connection) => connection.end(lastWord)))
    },
  }
}
