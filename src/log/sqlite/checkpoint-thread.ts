import { Worker } from 'node:worker_threads'

/** As SQLite reports it: pages in the WAL at the start, and how many of them are in the database now. */
export type CheckpointResult = readonly [isBlocked: number, walPages: number, movedPages: number]

/** Makes checkpoints on a thread of its own, which does not keep the process alive. */
export interface CheckpointThread {
  /** Starts the thread if it does not run yet: that takes a while. */
  start(): void
  /** Makes a checkpoint, one at a time. Resolves with zeros when the thread fails. */
  checkpoint(): Promise<CheckpointResult>
  /** Ends the thread after the checkpoint that it is working on. */
  close(): Promise<void>
}

/**
 * `startWorker` starts a worker that responds to each `checkpoint` with a `CheckpointResult` and ends
 * on `close`. `onFailed` is called when that worker fails.
 */
export const createCheckpointThread = (
  startWorker: () => Worker,
  onFailed: () => void,
): CheckpointThread => {
  let running: Worker | undefined
  let onResult: (result: CheckpointResult) => void = () => {}

  const start = (): Worker => {
    const worker = startWorker()
    worker.on('message', (result: CheckpointResult) => onResult(result))
    worker.on('error', () => {
      running = undefined
      onFailed()
      onResult([0, 0, 0])
    })
    worker.unref() // after the listeners: adding them would keep the process alive again
    return worker
  }

  return {
    start() {
      running ??= start()
    },
    checkpoint() {
      const { promise, resolve } = Promise.withResolvers<CheckpointResult>()
      onResult = resolve
      running ??= start()
      running.postMessage('checkpoint')
      return promise
    },
    async close() {
      if (!running) return
      const { promise, resolve } = Promise.withResolvers<void>()
      running.once('exit', () => resolve())
      running.ref() // or the process could end before the thread has
      running.postMessage('close')
      await promise
    },
  }
}

/** Starts the worker that makes the checkpoints of a database file. */
export const startCheckpointWorker = (file: string): Worker =>
  new Worker(workerSource, { eval: true, workerData: file, execArgv: [] })

/** The whole program of the worker. A string, so that a bundle needs no second file for it. */
const workerSource = `
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
