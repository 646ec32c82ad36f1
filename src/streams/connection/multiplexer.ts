import { pageBytes } from '../fan-out/page.ts'
import type { SharedBuffer } from '../fan-out/shared-buffer.ts'
import type { StreamConnection } from './connection.ts'

/** What several sessions have for one connection: written at once, with one id at its end. */
export interface Multiplexer {
  /**
   * Takes frames of a session, without their ids: its cursor has moved. False when there is enough
   * for now: `onRoom` says when to go on.
   */
  add(frames: Buffer): boolean
  /** The same for the line of a snapshot, which all readers share. */
  share(line: SharedBuffer): boolean
  /** Takes what is for all. It lies in no log, so that only so much of it may wait. */
  tell(frame: string): void
  /** Writes what is there. It happens by itself at the end of the turn. */
  flush(): void
  /** The connection takes more again. */
  drained(): void
}

export interface MultiplexerOptions {
  connection: StreamConnection
  /** All cursors as they are now. */
  id(): string
  onRoom(): void
  /** More for all has come than may wait. */
  onOverflow(): void
}

/**
 * So much of what is for all may wait for a connection that takes nothing. What sessions add is
 * little: each stops when it is told to, and its feed knows how far behind it is.
 */
const longest = 1024 * 1024

/** The end of a frame. */
const frameEnd = Buffer.of(0x0a)

export const createMultiplexer = (options: MultiplexerOptions): Multiplexer => {
  const { connection } = options
  let waiting: (Buffer | SharedBuffer)[] = []
  let size = 0
  let toldSize = 0
  let hasMoved = false
  let isBlocked = false
  let isScheduled = false

  const take = (): (Buffer | SharedBuffer)[] => {
    const last = waiting.at(-1)
    // The id belongs to the last frame: it takes the place of the empty line that ends it.
    if (hasMoved && Buffer.isBuffer(last))
      waiting.splice(-1, 1, last.subarray(0, -1), Buffer.from(`id: ${options.id()}\n\n`))
    const taken = waiting
    waiting = []
    size = 0
    toldSize = 0
    hasMoved = false
    return taken
  }

  const flush = (): void => {
    isScheduled = false
    if (isBlocked || size === 0 || !connection.isOpen()) return
    for (const part of joined(take()))
      isBlocked = !(Buffer.isBuffer(part) ? connection.say(part) : connection.share(part))
    if (!isBlocked) options.onRoom()
  }

  const push = (parts: readonly (Buffer | SharedBuffer)[], length: number): void => {
    waiting.push(...parts)
    size += length
    if (!isScheduled) process.nextTick(flush)
    isScheduled = true
  }

  const move = (parts: readonly (Buffer | SharedBuffer)[], length: number): boolean => {
    if (!connection.isOpen()) return false
    push(parts, length)
    hasMoved = true
    return !isBlocked && size < pageBytes
  }

  return {
    add: (frames) => move([frames], frames.length),
    share: (line) => move([line, frameEnd], line.bytes.length),
    tell(frame) {
      if (!connection.isOpen()) return
      const bytes = Buffer.from(frame)
      toldSize += bytes.length
      if (isBlocked && toldSize > longest) return options.onOverflow()
      push([bytes], bytes.length)
    },
    flush,
    drained() {
      isBlocked = false
      flush()
      if (!isBlocked) options.onRoom()
    },
  }
}

/** Bytes that follow one another as one: they are written, and compressed, together. */
const joined = (parts: readonly (Buffer | SharedBuffer)[]): (Buffer | SharedBuffer)[] => {
  const found: (Buffer | SharedBuffer)[] = []
  let run: Buffer[] = []
  const end = () => {
    if (run.length > 0) found.push(Buffer.concat(run))
    run = []
  }
  for (const part of parts) {
    if (Buffer.isBuffer(part)) {
      run.push(part)
      continue
    }
    end()
    found.push(part)
  }
  end()
  return found
}
