import type { Socket } from 'node:net'
import { heartbeat, type SharedBuffer } from '../fan-out/frame.ts'
import type { Chunk } from '../fan-out/ring.ts'
import type { StreamCounters } from '../figures.ts'
import type { Encoding } from './encoding.ts'

/**
 * The socket of one open stream: written to and never read. The acceptor creates it; a session
 * stream or a multiplexer writes to it. Each `send` returns false when the socket’s buffer is full:
 * `onDrain` is called when it is empty again.
 */
export interface StreamConnection {
  /** Sends frames that all readers of a session share. */
  sendChunk(chunk: Chunk): boolean
  /** Sends other bytes that many connections share. */
  sendShared(shared: SharedBuffer): boolean
  /** Sends bytes that are for this connection alone. */
  sendDirect(bytes: string | Buffer): boolean
  /** Sends a heartbeat if nothing was sent for a while. Called at regular intervals. */
  tick(): void
  isOpen(): boolean
  /** Ends the stream after a last frame, if there is one. Resolves when the socket is closed. */
  end(lastFrame?: string): Promise<void>
  /** Closes the socket at once; what is unsent is lost. */
  destroy(): void
}

export interface StreamConnectionOptions {
  socket: Socket
  encoding: Encoding
  counters: StreamCounters
  /** How long the client may take to read the end of the stream. */
  graceMs: number
  onDrain(): void
  onClose(): void
}

/** After this many ticks without a write, a heartbeat is sent. */
export const heartbeatTicks = 3

export const createStreamConnection = (options: StreamConnectionOptions): StreamConnection => {
  const { socket, encoding, counters, graceMs } = options
  let quietTicks = 0
  let isOpen = true

  const close = () => {
    if (!isOpen) return
    isOpen = false
    counters.clients -= 1
    options.onClose()
  }
  const write = (bytes: Buffer): boolean => {
    quietTicks = 0
    counters.bytes += bytes.length
    return socket.write(bytes)
  }
  const sendDirect = (bytes: string | Buffer): boolean =>
    write(encoding.encodeDirect(typeof bytes === 'string' ? Buffer.from(bytes) : bytes))

  counters.clients += 1
  counters.connected += 1
  socket.on('drain', () => {
    if (isOpen) options.onDrain()
  })
  socket.once('close', close)

  return {
    sendChunk: (chunk) => write(encoding.encodeChunk(chunk)),
    sendShared: (shared) => write(encoding.encodeShared(shared)),
    sendDirect,
    tick() {
      quietTicks += 1
      if (quietTicks >= heartbeatTicks && socket.writableLength === 0) sendDirect(heartbeat)
    },
    isOpen: () => isOpen,
    async end(lastFrame) {
      if (!isOpen) return
      if (lastFrame !== undefined) sendDirect(lastFrame)
      close()
      socket.end()
      const grace = setTimeout(() => socket.destroy(), graceMs)
      const { promise, resolve } = Promise.withResolvers<void>()
      socket.once('close', () => {
        clearTimeout(grace)
        resolve()
      })
      return promise
    },
    destroy() {
      close()
      socket.destroy()
    },
  }
}
