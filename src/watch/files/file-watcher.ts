import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { SessionLifecycleEvent } from '../../session/registry/sessions.ts'
import type { FileSource } from '../sources/file-source.ts'
import type { WatchSwitches } from '../watch-switches.ts'
import { type FoundSession, findSessions } from './find-files.ts'
import { importFiles } from './import-files.ts'
import type { FileLibrary } from './library.ts'
import { createLiveFiles, type LiveFiles } from './live-files.ts'
import { createScanPause } from './scan-pause.ts'
import { createWatchedRoots, type WatchedRoot } from './watched-roots.ts'

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
  /** Receives what people should know, once. */
  onNotice?(message: string): void
  onError(cause: unknown): void
}

/** A file that changed so recently is live: it is read before all others. */
const recentMs = 2 * 60 * 1000

/** Starts to watch. Reading what exists continues in the background, the latest first. */
export const openFileWatcher = (options: FileWatcherOptions): FileWatcher => {
  const { sources, env, home, switches, onError, now = Date.now, scanMs = 60_000 } = options
  const { onNotice = (message) => onError(new Error(message)) } = options
  const closing = new AbortController()
  const { signal } = closing
  const pause = createScanPause(signal)
  let live: LiveFiles | undefined

  const isRecent = (changedAt: number): boolean => now() - changedAt < recentMs
  /** A file came with a new folder, which can be an old folder that was moved. */
  const onFound = async (source: FileSource, root: string, path: string): Promise<void> => {
    const stats = await lstat(join(root, path)).catch(() => undefined)
    if (stats && isRecent(stats.mtimeMs)) live?.changed(source, root, path)
    else pause.end()
  }
  const roots = createWatchedRoots({
    ...{ sources, env, home, onNotice, onError },
    onNew: pause.end,
    onChange: (source, root, path) => live?.changed(source, root, path),
    onFound: (...found) => void onFound(...found),
  })

  const isLeftOut = (files: LiveFiles, library: FileLibrary, { source, root }: WatchedRoot) => {
    return ({ path }: FoundSession): boolean =>
      files.isLive(root, path) || library.isOff(source, root, path)
  }

  /** Reads what was never read, while other files grow. */
  const importAll = async (files: LiveFiles, library: FileLibrary, all: readonly Unread[]) => {
    for (const { sessions, ...root } of all)
      await importFiles({
        ...{ library, source: root.source, root: root.root, sessions, signal, onError },
        ...{ pace: createPace(signal), isLeftOut: isLeftOut(files, library, root) },
      })
  }

  const run = async (): Promise<void> => {
    const library = await options.openLibrary()
    const files = createLiveFiles({ library, now, onUnread: pause.end, onError })
    live = files
    const following = roots.follow(signal)
    let importing: Promise<void> | undefined
    while (!signal.aborted) {
      const began = performance.now()
      // Another node may have switched something off.
      await switches?.load().catch(onError)
      const on = roots.all().filter(({ source }) => !switches?.isOff(source))
      const unread = await findUnread(on, library, signal).catch(fail)
      for (const { sessions, source, root } of unread ?? [])
        for (const { path, changedAt } of sessions)
          if (isRecent(changedAt)) files.changed(source, root, path)
      importing ??= importAll(files, library, unread ?? [])
        .catch(fail)
        .finally(() => {
          importing = undefined
        })
      await pause.wait(waitAfter(performance.now() - began, { roots: on, scanMs }))
    }
    await Promise.all([following, importing])
  }
  const fail = (cause: unknown): void => {
    if (!signal.aborted) onError(cause)
  }
  const running = run().catch(onError)

  return {
    directories: () =>
      roots.all().map(({ source, root }) => ({ agent: source.agent, directory: root })),
    onSession: (event) => live?.onSession(event),
    recheck() {
      live?.recheck()
      pause.end()
    },
    async close() {
      closing.abort()
      for (const { watch } of roots.all()) watch.close()
      await running
      await live?.close()
    },
  }
}

interface Unread extends WatchedRoot {
  /** The latest first. */
  sessions: FoundSession[]
}

/** The sessions that have changed since they were read, or were never read. */
const findUnread = async (
  roots: readonly WatchedRoot[],
  library: FileLibrary,
  signal: AbortSignal,
): Promise<Unread[]> => {
  const unread: Unread[] = []
  for (const each of roots) {
    const all = await findSessions(each.source, each.root, signal)
    const sessions = all.filter((found) => !library.isRead(each.root, found))
    unread.push({ ...each, sessions })
    await each.watch.prefer(foldersOf(all))
  }
  return unread
}

/** The folders of sessions, those with the latest changes first. */
const foldersOf = (sessions: readonly FoundSession[]): string[] => [
  ...new Set(sessions.map(({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('/'))))),
]

/** Looking at everything takes at most 1/300 of the time, and after changes 1/4. */
const parts = { usual: 300, afterChanges: 4 }

/** How long to wait after looking has taken so long. */
const waitAfter = (
  took: number,
  { roots, scanMs }: { roots: readonly WatchedRoot[]; scanMs: number },
): { most: number; least: number } => {
  // Where not everything is watched, it is looked at more often.
  const isComplete = roots.every(({ watch }) => watch.isComplete())
  const usual = isComplete ? scanMs : scanMs / 12
  return { most: Math.max(usual, took * parts.usual), least: took * parts.afterChanges }
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
