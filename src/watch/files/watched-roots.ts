import { setTimeout as delay } from 'node:timers/promises'
import type { FileSource } from '../sources/file-source.ts'
import { createDirectoryWatch, type DirectoryWatch } from './directory-watch.ts'
import { rootOf } from './find-files.ts'

/** The directory of an agent, while it exists. */
export interface WatchedRoot {
  source: FileSource
  /** Its real path. */
  root: string
  watch: DirectoryWatch
}

/** The directories of the agents. They come, go, and are replaced by others. */
export interface WatchedRoots {
  all(): WatchedRoot[]
  /** Looks for them, again and again, until the signal ends it. */
  follow(signal: AbortSignal): Promise<void>
}

type OnPath = (source: FileSource, root: string, path: string) => void

interface RootsOptions {
  sources: readonly FileSource[]
  env: NodeJS.ProcessEnv
  home: string
  /** Called when a directory was found. */
  onNew(): void
  onChange: OnPath
  onFound: OnPath
  onNotice(message: string): void
  onError(cause: unknown): void
}

const rootsMs = 1000

const limitNotice =
  'The system watches no more folders (on Linux: fs.inotify.max_user_watches). Sessions in other folders are looked at every few seconds, so they can be late.'

export const createWatchedRoots = (options: RootsOptions): WatchedRoots => {
  const { sources, env, home, onNew, onChange, onFound, onNotice, onError } = options
  const roots = new Map<string, WatchedRoot>()
  let isAtLimit = false

  const onLimit = (): void => {
    if (!isAtLimit) onNotice(limitNotice)
    isAtLimit = true
  }

  const update = async (source: FileSource, signal: AbortSignal): Promise<void> => {
    const root = await rootOf(source, env, home)
    const known = roots.get(source.agent)
    const isSame = known?.root === root && (await (known?.watch.isCurrent() ?? true))
    if (signal.aborted || isSame) return
    known?.watch.close()
    roots.delete(source.agent)
    if (root === undefined) return
    const watch = createDirectoryWatch(root, {
      onChange: (path) => onChange(source, root, path),
      onFound: (path) => onFound(source, root, path),
      ...{ onLimit, onError },
    })
    roots.set(source.agent, { source, root, watch })
    await watch.addAll()
    onNew()
  }

  return {
    all: () => [...roots.values()],
    async follow(signal) {
      while (!signal.aborted) {
        for (const source of sources) await update(source, signal).catch(onError)
        await delay(rootsMs, undefined, { signal, ref: false }).catch(() => {})
      }
    },
  }
}
