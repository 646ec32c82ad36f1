import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../log/log.ts'
import type { WatchedDirectory } from '../files/file-watcher.ts'
import { createSteps } from '../files/steps.ts'
import type { WatchSwitches } from '../watch-switches.ts'
import type { WatchedSessions } from '../watched-sessions.ts'
import { createDatabaseTries } from './database-tries.ts'
import { type OpenCodeImport, openOpenCodeImport } from './import-opencode.ts'
import { type DatabaseFiles, databaseFiles, isSameDatabase } from './opencode-file.ts'

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
  /** How often the database is read, in case the system reports no change. */
  scanMs?: number
  /** How long a database that cannot be read is tried again before that is reported: it may be new. */
  patienceMs?: number
  onError(cause: unknown): void
}

const agent = 'opencode'
/** How often it is looked at whether the database is there, and still the same. */
const lookMs = 1000

interface OpenDatabase {
  sessions: OpenCodeImport
  files: DatabaseFiles
  /** Undefined if the system watches no more directories. */
  watcher: FSWatcher | undefined
}

/** Starts to watch. The database may be made later, replaced, or removed. */
export const openOpenCodeWatcher = (options: OpenCodeWatcherOptions): OpenCodeWatcher => {
  const { file, switches, scanMs = 60_000, patienceMs = 10_000 } = options
  const closing = new AbortController()
  const { signal } = closing
  const tries = createDatabaseTries({ retryMs: scanMs, patienceMs, onError: options.onError })
  let opened: OpenDatabase | undefined
  let isChanged = false
  let readsAt = 0

  const leave = async (): Promise<void> => {
    const left = opened
    opened = undefined
    left?.watcher?.close()
    await left?.sessions.close()
  }
  /** One reading at a time. A database that fails is opened again later. */
  const steps = createSteps(async (cause) => {
    tries.failed(cause)
    await leave().catch(tries.failed)
  })

  const readNow = async (): Promise<void> => {
    isChanged = false
    readsAt = performance.now() + (opened?.watcher ? scanMs : 0)
    if (!opened) return
    await opened.sessions.readChanges({ isPast: false })
    tries.works()
  }
  /** Until it is read, all further changes lead to this one reading. */
  const readChanges = (): void => {
    if (isChanged) return
    isChanged = true
    void steps.enqueue(async () => (isChanged ? readNow() : undefined))
  }

  /** A session that grows does not wait for those that are read for the first time. */
  const pace = async (): Promise<void> => {
    await delay(1)
    if (isChanged) await readNow()
  }
  const readAll = async () => opened?.sessions.readAll({ isPast: true, signal })

  /** Opens a database that is new, and leaves one that is gone. */
  const look = async (): Promise<void> => {
    const files = await databaseFiles(file)
    if (!files || (opened && !isSameDatabase(opened.files, files))) {
      await leave()
      tries.reset()
    }
    if (opened && files) opened.files = files
    if (opened || !files || !tries.isDue()) return
    await switches?.load()
    opened = await openDatabase(
      files,
      { ...options, onError: tries.sessionFailed, pace },
      readChanges,
    )
    await readAll()
    tries.works()
  }

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await steps.enqueue(look)
      if (performance.now() >= readsAt) readChanges()
      await delay(lookMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }
  const running = run()

  return {
    directories: () => (opened ? [{ agent, directory: file }] : []),
    recheck() {
      void steps.enqueue(async () => {
        await opened?.sessions.leave()
        // What was off has been passed over.
        await readAll()
      })
    },
    async close() {
      closing.abort()
      await running
      await steps.enqueue(leave)
    },
  }
}

const openDatabase = async (
  files: DatabaseFiles,
  { switches, ...options }: OpenCodeWatcherOptions & { pace(): Promise<void> },
  onChange: () => void,
): Promise<OpenDatabase | undefined> => {
  const sessions = await openOpenCodeImport({
    ...options,
    isLeftOut: ({ directory }) => switches?.isOff({ agent, cwd: directory }) ?? false,
  })
  return sessions && { sessions, files, watcher: watchBeside(options.file, onChange) }
}

/** The database and its log of writes are beside each other. */
const watchBeside = (file: string, onChange: () => void): FSWatcher | undefined => {
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_, name) => {
      if (name === null || name.startsWith('opencode.db')) onChange()
    })
    // It is looked at again and again, too.
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}
