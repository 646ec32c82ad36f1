import { once } from 'node:events'
import { connect as connectSocket, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { ManyEvent } from '../../src/client/stream-events.ts'
import type { StampedEvent } from '../../src/events/types.ts'

/** A frame as it came: its id and the event in it. */
export interface Frame {
  id: string | undefined
  event: ManyEvent
}

export interface ReaderOptions {
  lastEventId?: string
  after?: string
  headers?: Record<string, string>
}

/** A client on a bare socket: it can be cut and stalled at any byte. */
export interface Reader {
  socket: Socket
  head: string
  /** Everything so far. */
  frames: readonly Frame[]
  text(): string
  /** The next frame; rejects when the stream ends first. */
  next(): Promise<Frame>
  /** The next frames. */
  nextMany(count: number): Promise<Frame[]>
  /** Settles when the other side has ended the stream. */
  ended: Promise<void>
}

/** Connects, sends the request and waits for the head of the answer. */
export const connect = async (
  port: number,
  path: string,
  options: ReaderOptions = {},
): Promise<Reader> => {
  const socket = connectSocket(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {}) // the end tells
  await once(socket, 'connect')
  socket.setEncoding('utf8')
  let text = ''
  let head: string | undefined
  const parser = createParser()
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const each of waiting) each()
    waiting.clear()
  }
  let isOver = false
  void ended.then(() => {
    isOver = true
    wake()
  })
  socket.on('data', (chunk: string) => {
    text += chunk
    if (head === undefined) {
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return
      head = text.slice(0, end)
      parser.push(text.slice(end + 4))
    } else parser.push(chunk)
    wake()
  })
  socket.write(requestOf(path, options))

  const until = async <Found>(find: () => Found | undefined): Promise<Found> => {
    for (;;) {
      const found = find()
      if (found !== undefined) return found
      if (isOver) throw new Error(`the stream ended: ${text.slice(-300)}`)
      await new Promise<void>((resolve) => waiting.add(resolve))
    }
  }
  const answer = await until(() => head)
  let position = 0
  const next = async (): Promise<Frame> => {
    const frame = await until(() => parser.frames[position])
    position += 1
    return frame
  }
  return {
    socket,
    head: answer,
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

/** Reads frames from text however it is cut. Ids stay in force, as for any event source. */
export const createParser = () => {
  const frames: Frame[] = []
  let waiting: string[] = []
  let id: string | undefined
  return {
    frames,
    id: () => id,
    push(chunk: string): Frame[] {
      waiting.push(chunk)
      // A large frame comes in many chunks: they are joined when it is whole.
      if (!`${waiting.at(-2)?.slice(-1) ?? ''}${chunk}`.includes('\n\n')) return []
      const parts = waiting.join('').split('\n\n')
      waiting = [parts.pop() ?? '']
      const found = parts.flatMap((part) => {
        const lines = part.split('\n')
        const own = lines.find((line) => line.startsWith('id: '))?.slice(4)
        id = own ?? id
        const data = lines.find((line) => line.startsWith('data: '))?.slice(6)
        if (data === undefined) return []
        const event: ManyEvent = JSON.parse(data)
        return [{ id: own, event }]
      })
      frames.push(...found)
      return found
    },
  }
}

/** The seqs of what is stamped among frames. */
export const seqsOf = (frames: readonly Frame[]): number[] =>
  frames.flatMap(({ event }) => (isStamped(event) ? [event.seq] : []))

export const isStamped = (event: ManyEvent): event is StampedEvent =>
  'seq' in event && 'timestamp' in event
