import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../log/log.ts'
import type { WatchedDirectory } from '../files/file-watcher.ts'
import type { WatchSwitches } from '../watch-switches.ts'
import type { WatchedSessions } from '../watched-sessions.ts'
import { type OpenCodeImport, openOpenCodeImport } from './import-opencode.ts'

/** Reads the sessions of OpenCode as they grow, and what was there before. */
export interface OpenCodeWatcher {
  /** The database, if it exists and is watched. */
  directories(): WatchedDirectory[]
  /** Something was switched on or off: what is off is left at once, and what is on is read. */
  recheck(): void
  close(): Promise<void>
}

interface OpenCodeWatcherOptions {
  log: Log
  watched: WatchedSessions
  file: string
  /** Default: everything is read. */
  switches?: Pick<WatchSwitches, 'load' | 'isOff'>
  /** How often the database is looked at, in case the system reports no change. */
  scanMs?: number
  onError(cause: unknown): void
}

const agent = 'opencode'

/** Starts to watch. OpenCode may create its database later. */
export const openOpenCodeWatcher = (options: OpenCodeWatcherOptions): OpenCodeWatcher => {
  const { file, switches, scanMs = 60_000, onError } = options
  const closing = new AbortController()
  const { signal } = closing
  let opened: OpenCodeImport | undefined
  let watcher: FSWatcher | undefined
  let reading: Promise<void> = Promise.resolve()
  let isWaiting = false

  /** One reading at a time. */
  const inTurn = (work: () => Promise<unknown>): Promise<void> => {
    reading = reading
      .then(async () => {
        if (!signal.aborted) await work()
      })
      .catch(onError)
    return reading
  }

  /** While it waits for its turn, all further changes lead to this one reading. */
  const readChanges = (): void => {
    if (isWaiting) return
    isWaiting = true
    void inTurn(async () => {
      isWaiting = false
      await opened?.readChanges({ isHistory: false })
    })
  }

  const open = async (): Promise<void> => {
    await switches?.load()
    opened = await openOpenCodeImport({
      ...options,
      pace: () => delay(1),
      isLeftOut: ({ directory }) => switches?.isOff({ agent, cwd: directory }) ?? false,
    })
    if (!opened) return
    // The database and its log of writes are beside each other.
    watcher = watch(dirname(file), { persistent: false }, (_, name) => {
      if (name === null || name.startsWith('opencode.db')) readChanges()
    })
    watcher.on('error', onError)
    const { readAll } = opened
    await inTurn(() => readAll({ isHistory: true, signal }))
  }

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      if (opened) readChanges()
      else await open().catch(onError)
      await delay(scanMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }
  const running = run()

  return {
    directories: () => (watcher ? [{ agent, directory: file }] : []),
    recheck() {
      void inTurn(async () => {
        await opened?.leave()
        // What was off has been passed over.
        await opened?.readAll({ isHistory: true, signal })
      })
    },
    async close() {
      closing.abort()
      watcher?.close()
      await running
      await reading
      await opened?.close()
    },
  }
}
