import type { Connection } from './connection.ts'
import { pageBytes } from './page.ts'

/** What several sessions have for one connection: written at once, with one id at its end. */
export interface Gathering {
  /**
   * Takes frames that have no id; `moved` says that the cursors have changed by them. False when
   * there is enough for now: `onRoom` says when to go on.
   */
  add(frames: Buffer, moved?: 'moved'): boolean
  /** Writes what is there. It happens by itself at the end of the turn. */
  flush(): void
  /** The connection takes more again. */
  drained(): void
}

export interface GatheringOptions {
  connection: Connection
  /** All cursors as they are now. */
  id(): string
  onRoom(): void
  /** More has come than may wait. */
  onOverflow(): void
}

/** So much may wait for a connection that takes nothing: what is for all is not in the log. */
const longest = 1024 * 1024

export const createGathering = (options: GatheringOptions): Gathering => {
  const { connection } = options
  let waiting: Buffer[] = []
  let size = 0
  let hasMoved = false
  let isBlocked = false
  let isScheduled = false

  const take = (): Buffer => {
    const last = waiting.at(-1)
    // The id belongs to the last frame: it takes the place of the empty line that ends it.
    if (hasMoved && last)
      waiting.splice(-1, 1, last.subarray(0, -1), Buffer.from(`id: ${options.id()}\n\n`))
    const bytes = Buffer.concat(waiting)
    waiting = []
    size = 0
    hasMoved = false
    return bytes
  }

  const flush = (): void => {
    isScheduled = false
    if (isBlocked || size === 0 || !connection.isOpen()) return
    isBlocked = !connection.say(take())
    if (!isBlocked) options.onRoom()
  }

  return {
    add(frames, moved) {
      if (!connection.isOpen()) return false
      waiting.push(frames)
      size += frames.length
      hasMoved ||= moved === 'moved'
      if (isBlocked && size > longest) options.onOverflow()
      else if (!isScheduled) process.nextTick(flush)
      isScheduled = true
      return !isBlocked && size < pageBytes
    },
    flush,
    drained() {
      isBlocked = false
      flush()
      if (!isBlocked) options.onRoom()
    },
  }
}
