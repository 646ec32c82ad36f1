import { Worker } from 'node:worker_threads'

/** As SQLite reports it: pages in the WAL at the start, and how many of them are in the database now. */
export type CheckpointResult = readonly [isBlocked: number, walPages: number, movedPages: number]

/** What the worker sends when the database could not make the checkpoint. */
interface CheckpointFailure {
  message: string
  errcode: number
}

/**
 * `PASSIVE` moves what it can and waits for nobody. `TRUNCATE` also makes the WAL empty; it gives up when
 * somebody reads. No write may run meanwhile: it would wait on the main thread.
 */
export type CheckpointKind = 'PASSIVE' | 'TRUNCATE'

/** Makes checkpoints on a thread of its own, which does not keep the process alive. */
export interface CheckpointThread {
  /** Starts the thread if it does not run yet: that takes a while. */
  start(): void
  /** Makes a checkpoint, one at a time. Resolves with undefined when that failed. */
  checkpoint(kind: CheckpointKind): Promise<CheckpointResult | undefined>
  /** Ends the thread after the checkpoint that it is working on. */
  close(): Promise<void>
}

export interface CheckpointThreadOptions {
  startWorker(): Worker
  /** Called when the worker fails as a whole. */
  onFailed(): void
  /** Receives the error of a checkpoint that the database could not make. */
  onError(cause: unknown): void
}

/**
 * `startWorker` starts a worker that responds to each `CheckpointKind` with a `CheckpointResult` or an
 * error, and ends on `close`.
 */
export const createCheckpointThread = ({
  startWorker,
  onFailed,
  onError,
}: CheckpointThreadOptions): CheckpointThread => {
  let running: Worker | undefined
  let onResult: (result: CheckpointResult | undefined) => void = () => {}

  const start = (): Worker => {
    const worker = startWorker()
    worker.on('message', (result: CheckpointResult | CheckpointFailure) => {
      if (!('message' in result)) return onResult(result)
      onError(Object.assign(new Error(result.message), { errcode: result.errcode }))
      onResult(undefined)
    })
    worker.on('error', () => {
      running = undefined
      onFailed()
      onResult(undefined)
    })
    worker.unref() // after the listeners: adding them would keep the process alive again
    return worker
  }

  return {
    start() {
      running ??= start()
    },
    checkpoint(kind) {
      const { promise, resolve } = Promise.withResolvers<CheckpointResult | undefined>()
      onResult = resolve
      running ??= start()
      running.postMessage(kind)
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
  const checkpoint = (kind) => {
    try {
      // A checkpoint that waits for readers would keep writers waiting.
      database.exec('PRAGMA busy_timeout = ' + (kind === 'PASSIVE' ? 5000 : 0))
      const statement = database.prepare('PRAGMA wal_checkpoint(' + kind + ')')
      statement.setReturnArrays(true)
      return statement.get()
    } catch ({ message, errcode }) {
      return { message, errcode }
    }
  }
  parentPort.on('message', (message) => {
    if (message !== 'close') return parentPort.postMessage(checkpoint(message))
    database.close()
    parentPort.close()
  })
`
