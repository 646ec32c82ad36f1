import { once } from 'node:events'
import { connect as connectSocket, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { formatEventCursor } from '../../src/api/cursors.ts'
import type { ManyEvent } from '../../src/client/stream-events.ts'
import type { StampedEvent } from '../../src/events/types.ts'
import { checksumOf } from '../../src/log/checksum.ts'

/** A frame: its id and its event. */
export interface Frame {
  id: string | undefined
  event: ManyEvent
}

export interface ReaderOptions {
  lastEventId?: string
  after?: string
  headers?: Record<string, string>
}

/** A client on a plain socket, which can be cut and paused at any byte. */
export interface Reader {
  socket: Socket
  /** The head of the response. */
  head: string
  /** All frames so far. */
  frames: readonly Frame[]
  /** The whole response so far. */
  text(): string
  /** The next frame; rejects when the stream ends first. */
  next(): Promise<Frame>
  /** The next frames. */
  nextMany(count: number): Promise<Frame[]>
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>
}

/** Connects, sends the request and waits for the head of the response. */
export const connect = async (
  port: number,
  path: string,
  options: ReaderOptions = {},
): Promise<Reader> => {
  const socket = connectSocket(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {}) // `ended` shows it
  await once(socket, 'connect')
  socket.setEncoding('utf8')
  let text = ''
  let head: string | undefined
  const parser = createParser()
  const waiting = new Set<() => void>()
  const notify = () => {
    for (const each of waiting) each()
    waiting.clear()
  }
  let isEnded = false
  void ended.then(() => {
    isEnded = true
    notify()
  })
  socket.on('data', (chunk: string) => {
    text += chunk
    if (head === undefined) {
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return
      head = text.slice(0, end)
      parser.push(text.slice(end + 4))
    } else parser.push(chunk)
    notify()
  })
  socket.write(requestOf(path, options))

  const until = async <Found>(find: () => Found | undefined): Promise<Found> => {
    for (;;) {
      const found = find()
      if (found !== undefined) return found
      if (isEnded) throw new Error(`the stream ended: ${text.slice(-300)}`)
      await new Promise<void>((resolve) => waiting.add(resolve))
    }
  }
  const responseHead = await until(() => head)
  let position = 0
  const next = async (): Promise<Frame> => {
    const frame = await until(() => parser.frames[position])
    position += 1
    return frame
  }
  return {
    socket,
    head: responseHead,
    frames: parser.frames,
    text: () => text,
    next,
    async nextMany(count) {
      const frames: Frame[] = []
      while (frames.length < count) frames.push(await next())
      return frames
    },
    ended,
  }
}

export const requestOf = (path: string, { lastEventId, after, headers = {} }: ReaderOptions) => {
  const target =
    after === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}after=${after}`
  const lines = Object.entries({
    Host: '127.0.0.1',
    ...headers,
    ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
  })
  return `GET ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

/** Parses frames, however the text is cut. */
export const createParser = () => {
  const frames: Frame[] = []
  let pending: string[] = []
  return {
    frames,
    push(chunk: string): Frame[] {
      pending.push(chunk)
      // A large frame comes in many chunks: they are joined once, when it is complete.
      if (!`${pending.at(-2)?.slice(-1) ?? ''}${chunk}`.includes('\n\n')) return []
      const parts = pending.join('').split('\n\n')
      pending = [parts.pop() ?? '']
      const found = parts.flatMap((part) => {
        const lines = part.split('\n')
        const id = lines.find((line) => line.startsWith('id: '))?.slice(4)
        const data = lines.find((line) => line.startsWith('data: '))?.slice(6)
        if (data === undefined) return []
        const event: ManyEvent = JSON.parse(data)
        return [{ id, event }]
      })
      frames.push(...found)
      return found
    },
  }
}

/** The cursor at the last of some events: of an empty session if there are none. */
export const cursorAfter = (events: readonly StampedEvent[]): string => {
  const last = events.at(-1)
  return last ? formatEventCursor(last.seq, checksumOf(JSON.stringify(last))) : '0'
}

/** The seqs of the stamped events among frames. */
export const seqsOf = (frames: readonly Frame[]): number[] =>
  frames.flatMap(({ event }) => (isStamped(event) ? [event.seq] : []))

export const isStamped = (event: ManyEvent): event is StampedEvent =>
  'seq' in event && 'timestamp' in event
