import type { Worker } from 'node:worker_threads'
import type { Writes } from './writes.ts'

/** Moves what was written from the WAL into the database, in a thread of its own. */
export interface Checkpoints {
  /** A transaction is durable: about so many bytes. */
  wrote(bytes: number): void
  /** Ends the thread, once it has done what it was asked to. */
  close(): Promise<void>
}

export interface CheckpointOptions {
  /** Starts a thread that answers each `checkpoint` with a `Progress`, and ends on `close`. */
  start(): Worker
  /** The thread has failed: somebody else must do its work. */
  onBroken(): void
  writes: Pick<Writes, 'hold' | 'release'>
  /** How many pages may be written before a checkpoint is due. */
  pages: number
}

/** As SQLite tells it: pages in the WAL when it began, and how many of them the database has. */
export type Progress = readonly [blocked: number, written: number, moved: number]

const pageBytes = 4096
/** What a transaction writes beside its content: leaves of the table and of its index, the root. */
const pagesPerCommit = 6
/**
 * How many times `pages` the WAL may hold. It is let grow to that before the first checkpoint:
 * making a file longer while the thread flushes it can take many milliseconds.
 */
const room = 2
/** How long writes wait at most. */
const holdMs = 1000

/**
 * The WAL is used from its start again once all of its pages have been moved. Most are moved while
 * writes go on; then the writes wait for the few that came meanwhile. The event loop never waits.
 */
export const createCheckpoints = (options: CheckpointOptions): Checkpoints => {
  const { writes, pages } = options
  let thread: Worker | undefined
  /** The log is being closed, or the thread is dead. */
  let over = false
  let running = false
  let enough: NodeJS.Timeout | undefined
  /** Pages in the WAL, and when the next checkpoint is due: both by estimate. */
  let length = 0
  let due = pages * room
  let answer: (progress: Progress) => void = () => {}

  const start = (): Worker => {
    const worker = options.start()
    worker.on('message', (progress: Progress) => answer(progress))
    worker.on('error', () => {
      over = true
      thread = undefined
      options.onBroken()
      answer([0, 0, 0])
    })
    worker.unref() // behind the listeners, which would keep the process alive again
    return worker
  }

  const checkpoint = (): Promise<Progress> => {
    const { promise, resolve } = Promise.withResolvers<Progress>()
    answer = resolve
    thread ??= start()
    thread.postMessage('checkpoint')
    return promise
  }

  /** One pass. Only when nothing was written meanwhile can it have moved everything. */
  const pass = async (): Promise<void> => {
    const before = length
    const [, written, moved] = await checkpoint()
    const later = length - before
    length = later === 0 && moved === written ? 0 : written + later
  }

  const hold = () => {
    if (enough !== undefined) return
    writes.hold()
    enough = setTimeout(() => writes.release(), holdMs)
  }

  const run = async (): Promise<void> => {
    running = true
    await pass()
    if (length > 0 && !over) {
      hold()
      await pass()
    }
    clearTimeout(enough)
    enough = undefined
    writes.release()
    due = length + pages
    running = false
  }

  return {
    wrote(bytes) {
      length += pagesPerCommit + bytes / pageBytes
      if (over) return
      // Starting takes the thread a while, in which nobody waits for it.
      if (length >= due - pages) thread ??= start()
      if (!running && length >= due) void run()
      else if (running && length >= pages * room) hold()
    },
    async close() {
      over = true
      clearTimeout(enough)
      if (!thread) return
      const { promise, resolve } = Promise.withResolvers<void>()
      thread.once('exit', () => resolve())
      thread.ref() // or the process could end before the thread has
      thread.postMessage('close')
      await promise
    },
  }
}
