import {
  type CheckpointKind,
  type CheckpointThreadOptions,
  createCheckpointThread,
} from './checkpoint-thread.ts'
import type { Writes } from './writes.ts'

/** Moves pages from the write-ahead log (WAL) into the database file before the WAL grows too long. */
export interface WalCheckpoints {
  /** Reports a committed transaction of about so many bytes. */
  onCommit(bytes: number): void
  /**
   * Moves all pages and makes the WAL and the database file as short as they can be. Does nothing when
   * somebody reads an older state at that moment.
   */
  truncate(): Promise<void>
  /** Finishes the checkpoint in progress. No other one starts. */
  close(): Promise<void>
}

export interface WalCheckpointOptions extends CheckpointThreadOptions {
  writes: Pick<Writes, 'hold' | 'release'>
  /** How many pages may be written before the next checkpoint is due. */
  pages: number
}

const pageBytes = 4096
/** What a transaction writes beside its content: leaves of the table and of its index, the root. */
const pagesPerCommit = 6
/**
 * The WAL may hold this many times `pages`. It reaches that size before the first checkpoint: making
 * the file longer while the thread flushes it can take many milliseconds.
 */
const walFactor = 2
/** How long writes are held at most. */
const maxHoldMs = 1000

/**
 * SQLite reuses the WAL from its start once all of its pages are moved. Most pages are moved while
 * writes go on; then writes are held for the few that came meanwhile. The event loop never waits.
 */
export const createWalCheckpoints = (options: WalCheckpointOptions): WalCheckpoints => {
  const { writes, pages } = options
  /** The log is closing, or the thread has failed. */
  let isOver = false
  let running: Promise<void> | undefined
  let holdTimer: NodeJS.Timeout | undefined
  /** Estimated pages in the WAL, and at how many the next checkpoint is due. */
  let walPages = 0
  let duePages = pages * walFactor

  const thread = createCheckpointThread({
    ...options,
    onFailed() {
      isOver = true
      options.onFailed()
    },
  })

  /** Makes one checkpoint. It can move everything only if nothing was written meanwhile. */
  const movePages = async (kind: CheckpointKind = 'PASSIVE'): Promise<void> => {
    const before = walPages
    const result = await thread.checkpoint(kind)
    if (!result) return
    const [, found, moved] = result
    const added = walPages - before
    walPages = added === 0 && moved === found ? 0 : found + added
  }

  const hold = () => {
    if (holdTimer !== undefined) return
    writes.hold()
    holdTimer = setTimeout(() => writes.release(), maxHoldMs)
  }

  const movePagesTwice = async (last: CheckpointKind): Promise<void> => {
    await movePages()
    if ((walPages > 0 || last === 'TRUNCATE') && !isOver) {
      hold()
      await movePages(last)
    }
    clearTimeout(holdTimer)
    holdTimer = undefined
    writes.release()
    duePages = walPages + pages
    running = undefined
  }

  const run = (last: CheckpointKind = 'PASSIVE'): Promise<void> => {
    running = movePagesTwice(last)
    return running
  }

  return {
    onCommit(bytes) {
      walPages += pagesPerCommit + bytes / pageBytes
      if (isOver) return
      if (walPages >= duePages - pages) thread.start() // early, so that it is there in time
      if (running === undefined && walPages >= duePages) void run()
      else if (running !== undefined && walPages >= pages * walFactor) hold()
    },
    async truncate() {
      while (running !== undefined) await running
      if (!isOver) await run('TRUNCATE')
    },
    async close() {
      isOver = true
      clearTimeout(holdTimer)
      await thread.close()
    },
  }
}
