import { Worker } from 'node:worker_threads'
import type { SearchResult } from '../../api/types.ts'
import type { SearchTask } from './search-sessions.ts'

/** Searches a database on a thread of its own, which does not keep the process alive. */
export interface SearchThread {
  /** Runs one search; the next one only when it has ended. Rejects when the thread fails. */
  search(query: SearchTask): Promise<SearchResult>
  close(): Promise<void>
}

/** What the worker responds. */
interface SearchReply {
  result?: SearchResult
  error?: string
}

/** A search that has not ended by itself after this time is ended with its thread. */
const hardLimitMs = 10_000
/** A thread that was not used for this long ends, to return its memory. */
const idleMs = 60_000

export const createSearchThread = (file: string): SearchThread => {
  let running: Worker | undefined
  let idleTimer: NodeJS.Timeout | undefined

  const start = (): Worker => {
    const worker = startWorker(file)
    // Also between searches: the next one starts another thread.
    worker.on('error', () => {})
    worker.on('exit', () => {
      if (running === worker) running = undefined
    })
    running = worker
    return worker
  }

  const stop = async (): Promise<void> => {
    clearTimeout(idleTimer)
    const worker = running
    running = undefined
    await worker?.terminate()
  }

  return {
    async search(query) {
      clearTimeout(idleTimer)
      const worker = running ?? start()
      const timer = setTimeout(() => void stop(), hardLimitMs)
      try {
        const { result, error } = await ask(worker, query)
        if (!result) throw new Error(`The search failed: ${error}`)
        return result
      } catch (cause) {
        if (running === worker) await stop()
        throw cause
      } finally {
        clearTimeout(timer)
        idleTimer = setTimeout(() => void stop(), idleMs).unref()
      }
    },
    close: stop,
  }
}

const startWorker = (file: string): Worker => {
  const worker = new Worker(workerFile(), {
    workerData: file,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  worker.unref()
  return worker
}

/** Among the sources, the worker is beside this file. In a bundle, it is in `dist/http/`. */
const workerFile = (module: string = import.meta.url): URL =>
  new URL(
    /\/search\/[^/]+$/.test(module) ? './search-worker.js' : '../http/search-worker.js',
    module,
  )

const ask = (worker: Worker, query: SearchTask): Promise<SearchReply> => {
  const { promise, resolve, reject } = Promise.withResolvers<SearchReply>()
  const onExit = () => reject(new Error('The thread of the search has ended.'))
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', onExit)
  worker.ref() // the process stays until the search has ended
  worker.postMessage(query)
  return promise.finally(() => {
    worker.unref()
    worker.off('message', resolve)
    worker.off('error', reject)
    worker.off('exit', onExit)
  })
}
