import type { SharedBuffer } from '../fan-out/frame.ts'
import { pageBytes } from '../fan-out/ring.ts'
import type { StreamConnection } from './connection.ts'

/**
 * Joins the frames of many sessions into one connection. What is added in one turn is written at
 * once. Used by the multiplexed stream.
 */
export interface Multiplexer {
  /**
   * Adds frames of a session. False when enough is waiting: `onWritable` is called when more may be
   * added.
   */
  addFrames(frames: Buffer): boolean
  /** Adds a frame of a session by its data line, which many connections share, and the rest of it. */
  addLine(line: SharedBuffer, rest: string): boolean
  /**
   * Adds a frame of the overview. It is in no log, so it always waits here: `onOverflow` is called
   * when too many bytes do.
   */
  addNotice(frame: string): void
  /** Writes what was added, without waiting for the end of the turn. */
  flush(): void
  /** To be called when the connection accepts more again. */
  onDrain(): void
}

export interface MultiplexerOptions {
  connection: StreamConnection
  /** The id for the last frame of each write; undefined if every frame has its own. */
  lastId?(): string
  onWritable(): void
  onOverflow(): void
}

/**
 * The most bytes of the overview that may wait for a connection that accepts nothing. Sessions need
 * no such limit: each stops when `addFrames` returns false, and its fan-out limits how far it lags.
 */
const noticeLimit = 1024 * 1024

type Part = Buffer | SharedBuffer

export const createMultiplexer = (options: MultiplexerOptions): Multiplexer => {
  const { connection } = options
  let pending: Part[] = []
  let pendingBytes = 0
  let noticeBytes = 0
  let hasCursorMoved = false
  let isBlocked = false
  let isScheduled = false

  const takePending = (): Part[] => {
    const last = pending.at(-1)
    // The id belongs to the last frame: it goes before the empty line that ends the frame.
    if (options.lastId && hasCursorMoved && Buffer.isBuffer(last))
      pending.splice(-1, 1, last.subarray(0, -1), Buffer.from(`id: ${options.lastId()}\n\n`))
    const taken = pending
    pending = []
    pendingBytes = 0
    noticeBytes = 0
    hasCursorMoved = false
    return taken
  }

  const flush = (): void => {
    isScheduled = false
    if (isBlocked || pendingBytes === 0 || !connection.isOpen()) return
    for (const part of joinBuffers(takePending()))
      isBlocked = !(Buffer.isBuffer(part)
        ? connection.sendDirect(part)
        : connection.sendShared(part))
    if (!isBlocked) options.onWritable()
  }

  const push = (parts: readonly Part[], bytes: number): void => {
    pending.push(...parts)
    pendingBytes += bytes
    if (!isScheduled) process.nextTick(flush)
    isScheduled = true
  }

  const pushFromSession = (parts: readonly Part[], bytes: number): boolean => {
    if (!connection.isOpen()) return false
    push(parts, bytes)
    hasCursorMoved = true
    return !isBlocked && pendingBytes < pageBytes
  }

  return {
    addFrames: (frames) => pushFromSession([frames], frames.length),
    addLine: (line, rest) => pushFromSession([line, Buffer.from(rest)], line.bytes.length),
    addNotice(frame) {
      if (!connection.isOpen()) return
      const bytes = Buffer.from(frame)
      noticeBytes += bytes.length
      if (isBlocked && noticeBytes > noticeLimit) return options.onOverflow()
      push([bytes], bytes.length)
    },
    flush,
    onDrain() {
      isBlocked = false
      flush()
      if (!isBlocked) options.onWritable()
    },
  }
}

/** Joins neighbouring buffers, to be compressed and written as one. */
const joinBuffers = (parts: readonly Part[]): Part[] => {
  const joined: Part[] = []
  let run: Buffer[] = []
  const endRun = () => {
    if (run.length > 0) joined.push(Buffer.concat(run))
    run = []
  }
  for (const part of parts) {
    if (Buffer.isBuffer(part)) {
      run.push(part)
      continue
    }
    endRun()
    joined.push(part)
  }
  endRun()
  return joined
}
