import type { Socket } from 'node:net'
import type { Chunk } from '../fan-out/chunk.ts'
import { heartbeat } from '../fan-out/frame.ts'
import type { SharedBuffer } from '../fan-out/shared-buffer.ts'
import type { StreamCounters } from '../figures.ts'
import type { Encoding } from './encoding.ts'

/** One open stream: a socket that is written to and never read. */
export interface StreamConnection {
  /** Hands shared frames over. False when enough is unsent: `onDrain` says when to go on. */
  send(piece: Chunk): boolean
  /** The same for what is no part of a page. */
  share(shared: SharedBuffer): boolean
  /** The same for what is meant for this connection alone. */
  say(text: string | Buffer): boolean
  /** A sign of life, if nothing was sent for a while. Called at even intervals. */
  tick(): void
  isOpen(): boolean
  /** Ends the stream, perhaps with a last word; settles when it is gone. */
  end(lastWord?: string): Promise<void>
  /** Ends it at once, with what is unsent. */
  cut(): void
}

export interface StreamConnectionOptions {
  socket: Socket
  coding: Encoding
  counters: StreamCounters
  /** How long the other side may take to read the end of the stream. */
  graceMs: number
  onDrain(): void
  onClose(): void
}

/** So many ticks without a write make a heartbeat. */
export const quietTicks = 3

export const createStreamConnection = (options: StreamConnectionOptions): StreamConnection => {
  const { socket, coding, counters, graceMs } = options
  let quiet = 0
  let isOpen = true

  const close = () => {
    if (!isOpen) return
    isOpen = false
    counters.clients -= 1
    options.onClose()
  }
  const write = (bytes: Buffer): boolean => {
    quiet = 0
    counters.bytes += bytes.length
    return socket.write(bytes)
  }
  const say = (text: string | Buffer): boolean =>
    write(coding.alone(typeof text === 'string' ? Buffer.from(text) : text))

  counters.clients += 1
  counters.connected += 1
  socket.on('drain', () => {
    if (isOpen) options.onDrain()
  })
  socket.once('close', close)

  return {
    send: (piece) => write(coding.piece(piece)),
    share: (shared) => write(coding.shared(shared)),
    say,
    tick() {
      quiet += 1
      if (quiet >= quietTicks && socket.writableLength === 0) say(heartbeat)
    },
    isOpen: () => isOpen,
    async end(lastWord) {
      if (!isOpen) return
      if (lastWord !== undefined) say(lastWord)
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
    cut() {
      close()
      socket.destroy()
    },
  }
}
