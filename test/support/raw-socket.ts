import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A TCP connection to a server, for requests that `fetch` would not send. */
export interface RawSocket {
  socket: Socket
  /** Resolves when the connection has closed. */
  closed: Promise<void>
  /** Everything received so far. */
  received(): string
  /** Resolves when a text has been received; rejects when the connection closes first. */
  waitFor(expected: string): Promise<void>
}

export const openRawSocket = async (port: number): Promise<RawSocket> => {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {}) // `closed` reports it
  await once(socket, 'connect')
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return {
    socket,
    closed,
    received: () => text,
    async waitFor(expected) {
      while (!text.includes(expected)) {
        const isClosed = await Promise.race([
          once(socket, 'data').then(() => false),
          closed.then(() => true),
        ])
        if (isClosed && !text.includes(expected))
          throw new Error(`closed before ${expected}: ${text.slice(-300)}`)
      }
    },
  }
}

/** The request line and the headers of a request, up to the empty line. */
export const requestHead = (requestLine: string, headers: Record<string, string>): string => {
  const all = Object.entries({ Host: '127.0.0.1', ...headers })
  return `${requestLine} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}
