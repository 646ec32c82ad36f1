import { once } from 'node:events'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'

/** A connection that is written to by bytes. */
export const openRaw = async (port: number) => {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {}) // the end tells
  await once(socket, 'connect')
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return {
    socket,
    closed,
    text: () => text,
    /** Settles when something was said; rejects when the connection ends first. */
    async heard(words: string): Promise<void> {
      while (!text.includes(words)) {
        const isOver = await Promise.race([
          once(socket, 'data').then(() => false),
          closed.then(() => true),
        ])
        if (isOver && !text.includes(words)) throw new Error(`it ended: ${text.slice(-300)}`)
      }
    },
  }
}

/** The head of a request, with its empty line. */
export const headOf = (line: string, headers: Record<string, string>): string => {
  const lines = Object.entries({ Host: '127.0.0.1', ...headers })
  return `${line} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}
