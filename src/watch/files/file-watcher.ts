import { setTimeout as delay } from 'node:timers/promises'
import type { SessionLifecycleEvent } from '../../session/registry/sessions.ts'
import type { FileSource } from '../sources/file-source.ts'
import type { WatchSwitches } from '../watch-switches.ts'
import { createDirectoryWatch, type DirectoryWatch } from './directory-watch.ts'
import { type FoundSession, findSessions, rootOf } from './find-files.ts'
import { importFiles } from './import-files.ts'
import type { FileLibrary } from './library.ts'
import { createLiveFiles, type LiveFiles } from './live-files.ts'

/** A directory whose sessions are read. */
export interface WatchedDirectory {
  agent: string
  directory: string
}

/** Reads the session files of agents as they grow, and what was there before. */
export interface FileWatcher {
  /** The directories that exist and are watched. */
  directories(): WatchedDirectory[]
  onSession(event: SessionLifecycleEvent): void
  /** Something was switched on or off: what is off is left at once, and what is on is looked for. */
  recheck(): void
  close(): Promise<void>
}

export interface FileWatcherOptions {
  sources: readonly FileSource[]
  env: NodeJS.ProcessEnv
  home: string
  openLibrary(): Promise<FileLibrary>
  /** Default: everything is read. */
  switches?: Pick<WatchSwitches, 'load' | 'isOff'>
  now?(): number
  /** How often everything is looked at, in case the system reports no change. */
  scanMs?: number
  onError(cause: unknown): void
}

/** A file that changed so recently is live: it is read before all others. */
const recentMs = 2 * 60 * 1000

interface Root {
  source: FileSource
  root: string
  watch: DirectoryWatch
}

/** Starts to watch. Reading what exists continues in the background, the latest first. */
export const openFileWatcher = (options: FileWatcherOptions): FileWatcher => {
  const { sources, env, home, switches, onError, now = Date.now, scanMs = 60_000 } = options
  const roots = new Map<string, Root>()
  const closing = new AbortController()
  const { signal } = closing
  let live: LiveFiles | undefined
  let pause = new AbortController()

  const addRoot = async (source: FileSource, files: LiveFiles): Promise<void> => {
    if (roots.has(source.agent)) return
    const root = await rootOf(source, env, home)
    if (root === undefined || signal.aborted) return
    const watch = createDirectoryWatch(root, {
      onChange: (path) => files.changed(source, root, path),
      onError,
    })
    roots.set(source.agent, { source, root, watch })
    await watch.addAll()
  }

  /** Reads what has changed since it was read, or was never read. */
  const scan = async (files: LiveFiles, library: FileLibrary): Promise<void> => {
    // Another node may have switched something off.
    await switches?.load()
    for (const source of sources) await addRoot(source, files)
    const read = [...roots.values()].filter(({ source }) => !switches?.isOff(source))
    for (const { source, root } of read)
      for (const found of await findSessions(source, root, signal))
        if (now() - found.changedAt < recentMs && !library.isRead(root, found))
          files.changed(source, root, found.path)
    for (const { source, root } of read)
      await importFiles({
        ...{ library, source, root, signal, onError },
        pace: createPace(signal),
        isLeftOut: ({ path }: FoundSession) =>
          files.isLive(root, path) || library.isOff(source, root, path),
      })
  }

  const run = async (): Promise<void> => {
    const library = await options.openLibrary()
    const files = createLiveFiles({ library, now, onError })
    live = files
    while (!signal.aborted) {
      pause = new AbortController()
      await scan(files, library).catch((cause: unknown) => {
        if (!signal.aborted) onError(cause)
      })
      const ends = AbortSignal.any([signal, pause.signal])
      await delay(scanMs, undefined, { signal: ends, ref: false }).catch(() => {})
    }
  }
  const running = run().catch(onError)

  return {
    directories: () =>
      [...roots.values()].map(({ source, root }) => ({ agent: source.agent, directory: root })),
    onSession: (event) => live?.onSession(event),
    recheck() {
      live?.recheck()
      pause.abort()
    },
    async close() {
      closing.abort()
      for (const { watch } of roots.values()) watch.close()
      await running
      await live?.close()
    },
  }
}

/** Leaves as much time for other work as reading has taken. */
const createPace = (signal: AbortSignal): (() => Promise<void>) => {
  let last = performance.now()
  return async () => {
    const took = performance.now() - last
    await delay(Math.min(1000, took), undefined, { signal, ref: false }).catch(() => {})
    last = performance.now()
  }
}
