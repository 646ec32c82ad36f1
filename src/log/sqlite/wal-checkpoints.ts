import { Worker } from 'node:worker_threads'
import type { Writes } from './writes.ts'

/** Moves pages from the write-ahead log (WAL) into the database file, on a thread of its own. */
export interface WalCheckpoints {
  /** Reports a committed transaction of about so many bytes. */
  onCommit(bytes: number): void
  /** Ends the thread after the checkpoint that it is working on. */
  close(): Promise<void>
}

export interface WalCheckpointOptions {
  /** Starts a thread that answers each `checkpoint` with a `CheckpointResult` and ends on `close`. */
  startThread(): Worker
  /** The thread has failed. Somebody else must make the checkpoints. */
  onFailed(): void
  writes: Pick<Writes, 'hold' | 'release'>
  /** How many pages may be written before the next checkpoint is due. */
  pages: number
}

/** As SQLite reports it: pages in the WAL at the start, and how many of them are in the database now. */
export type CheckpointResult = readonly [isBlocked: number, walPages: number, movedPages: number]

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
  let thread: Worker | undefined
  /** The log is closing, or the thread has failed. */
  let isOver = false
  let isRunning = false
  let holdTimer: NodeJS.Timeout | undefined
  /** Estimated pages in the WAL, and at how many the next checkpoint is due. */
  let walPages = 0
  let duePages = pages * walFactor
  let onResult: (result: CheckpointResult) => void = () => {}

  const startThread = (): Worker => {
    const worker = options.startThread()
    worker.on('message', (result: CheckpointResult) => onResult(result))
    worker.on('error', () => {
      isOver = true
      thread = undefined
      options.onFailed()
      onResult([0, 0, 0])
    })
    worker.unref() // after the listeners: adding them would keep the process alive again
    return worker
  }

  const checkpoint = (): Promise<CheckpointResult> => {
    const { promise, resolve } = Promise.withResolvers<CheckpointResult>()
    onResult = resolve
    thread ??= startThread()
    thread.postMessage('checkpoint')
    return promise
  }

  /** Makes one checkpoint. It can move everything only if nothing was written meanwhile. */
  const movePages = async (): Promise<void> => {
    const before = walPages
    const [, found, moved] = await checkpoint()
    const added = walPages - before
    walPages = added === 0 && moved === found ? 0 : found + added
  }

  const hold = () => {
    if (holdTimer !== undefined) return
    writes.hold()
    holdTimer = setTimeout(() => writes.release(), maxHoldMs)
  }

  const run = async (): Promise<void> => {
    isRunning = true
    await movePages()
    if (walPages > 0 && !isOver) {
      hold()
      await movePages()
    }
    clearTimeout(holdTimer)
    holdTimer = undefined
    writes.release()
    duePages = walPages + pages
    isRunning = false
  }

  return {
    onCommit(bytes) {
      walPages += pagesPerCommit + bytes / pageBytes
      if (isOver) return
      // Started early, because a thread takes a while to start.
      if (walPages >= duePages - pages) thread ??= startThread()
      if (!isRunning && walPages >= duePages) void run()
      else if (isRunning && walPages >= pages * walFactor) hold()
    },
    async close() {
      isOver = true
      clearTimeout(holdTimer)
      if (!thread) return
      const { promise, resolve } = Promise.withResolvers<void>()
      thread.once('exit', () => resolve())
      thread.ref() // or the process could end before the thread has
      thread.postMessage('close')
      await promise
    },
  }
}

/** Starts the thread that makes the checkpoints of a database file. */
export const startCheckpointThread = (file: string): Worker =>
  new Worker(threadSource, { eval: true, workerData: file, execArgv: [] })

/** The whole program of the thread. A string, so that a bundle needs no second file for it. */
const threadSource = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { DatabaseSync } = require('node:sqlite')
  const database = new DatabaseSync(workerData)
  database.exec('PRAGMA busy_timeout = 5000')
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  checkpoint.setReturnArrays(true)
  parentPort.on('message', (message) => {
    if (message === 'checkpoint') return parentPort.postMessage(checkpoint.get())
    database.close()
    parentPort.close()
  })
`
