import { connect } from 'node:net'

/** One frame of a stream: its id, and its data as it came. */
export interface RawFrame {
  id: string | undefined
  text: string
}

export interface ConnectionOptions {
  port: number
  path: string
  token: string
  lastEventId?: string | undefined
  /** The connection is cut after so many bytes of the body. */
  cutAfter?: number
  /** Cuts the connection when it is aborted. */
  signal?: AbortSignal
  /** Called with each whole frame. */
  onFrame(frame: RawFrame): void
}

/** Reads one connection of a stream until it is cut. Returns the HTTP status; 0 when there was none. */
export const readConnection = async (options: ConnectionOptions): Promise<number> => {
  const { port, cutAfter = Number.POSITIVE_INFINITY, signal } = options
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect(port, '127.0.0.1')
  const cut = () => socket.destroy()
  signal?.addEventListener('abort', cut, { once: true })
  if (signal?.aborted) cut()
  socket.on('error', () => {}) // `close` follows
  socket.on('close', () => resolve())
  socket.write(requestOf(options))
  const parser = createFrameParser(options.onFrame)
  let head: Buffer | undefined = Buffer.alloc(0)
  let status = 0
  let left = cutAfter
  const readBody = (bytes: Buffer): void => {
    parser.push(bytes.subarray(0, Math.max(0, left)))
    left -= bytes.length
    if (left <= 0) cut()
  }
  socket.on('data', (chunk: Buffer) => {
    if (socket.destroyed) return
    if (head === undefined) return readBody(chunk)
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    status = Number(head.toString('latin1').split(' ')[1])
    const body = head.subarray(end + 4)
    head = undefined
    if (status === 200) readBody(body)
  })
  await promise
  signal?.removeEventListener('abort', cut)
  return status
}

const requestOf = ({ path, token, lastEventId }: ConnectionOptions): string => {
  const cursor = lastEventId === undefined ? '' : `Last-Event-ID: ${lastEventId}\r\n`
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n${cursor}\r\n`
}

/** Parses frames from bytes, wherever they are cut. */
const createFrameParser = (onFrame: (frame: RawFrame) => void) => {
  let pending: Buffer[] = []
  let last = 0
  const parse = (part: string): void => {
    const lines = part.split('\n')
    const id = lines.find((line) => line.startsWith('id: '))?.slice(4)
    const data = lines.find((line) => line.startsWith('data: '))?.slice(6)
    if (data !== undefined) onFrame({ id, text: data })
  }
  return {
    push(bytes: Buffer): void {
      pending.push(bytes)
      const isEnd = bytes.includes('\n\n') || (last === 10 && bytes[0] === 10)
      last = bytes.at(-1) ?? last
      // A large frame comes in many chunks: they are joined once, when it is complete.
      if (!isEnd) return
      const whole = Buffer.concat(pending)
      const end = whole.lastIndexOf('\n\n')
      pending = [whole.subarray(end + 2)]
      for (const part of whole.subarray(0, end).toString('utf8').split('\n\n')) parse(part)
    },
  }
}
