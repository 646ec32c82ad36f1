import { type FSWatcher, watch } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'

/** The folders that the system watches. There is a limit: those without changes for longest are left. */
export interface WatchedFolders {
  has(folder: string): boolean
  /** Whether no more folders can be watched without leaving others. */
  isFull(): boolean
  /** The identity of a folder to watch; undefined if it is watched already, or is none. */
  identityToWatch(folder: string): Promise<string | undefined>
  /** Watches a folder. If it is full, the folder that is left is the one with the oldest change. */
  start(folder: string, identity: string): void
  /** Something in a folder has changed. */
  touch(folder: string): void
  /** Leaves a folder, and those inside it, if another one has its path by now. */
  recheck(folder: string): Promise<void>
  /** Leaves a folder, and those inside it. */
  leave(folder: string): void
  /** Tries again to watch as many as are allowed. */
  resetLimit(): void
  close(): void
}

interface FoldersOptions {
  root: string
  maxFolders: number
  onEvent(folder: string, type: string, name: string): void
  /** Called once, when the system watches no more folders. */
  onLimit(): void
}

export const createWatchedFolders = (options: FoldersOptions): WatchedFolders => {
  const { root, maxFolders, onEvent, onLimit } = options
  /** Those with the latest changes come last, and a folder comes behind those inside it. */
  const folders = new Map<string, { watcher: FSWatcher; identity: string }>()
  let limit = maxFolders
  let isAtSystemLimit = false
  let isClosed = false

  const drop = (folder: string): void => {
    folders.get(folder)?.watcher.close()
    folders.delete(folder)
  }
  const dropBelow = (folder: string): void => {
    for (const each of [...folders.keys()]) if (isWithin(each, folder)) drop(each)
  }
  /** A folder with others inside is never the first. */
  const dropOldest = (): void => {
    const [oldest] = folders.keys()
    if (oldest !== undefined) drop(oldest)
  }
  const noteLimit = (): void => {
    limit = folders.size
    if (!isAtSystemLimit) onLimit()
    isAtSystemLimit = true
  }
  const touch = (folder: string): void => {
    for (const each of withParents(folder)) {
      const found = folders.get(each)
      if (!found) continue
      folders.delete(each)
      folders.set(each, found)
    }
  }

  return {
    touch,
    leave: dropBelow,
    has: (folder) => folders.has(folder),
    isFull: () => folders.size >= limit,
    async identityToWatch(folder) {
      const identity = await folderIdentity(join(root, folder))
      const known = folders.get(folder)
      if (known && known.identity !== identity) dropBelow(folder)
      return isClosed || folders.has(folder) ? undefined : identity
    },
    start(folder, identity) {
      if (isClosed || folders.has(folder)) return
      if (folders.size >= limit) dropOldest()
      try {
        const watcher = watch(join(root, folder), { persistent: false }, (type, name) => {
          if (!isClosed && name !== null) onEvent(folder, type, name)
        })
        watcher.on('error', () => drop(folder))
        folders.set(folder, { watcher, identity })
        touch(folder)
      } catch (cause) {
        // Otherwise it is gone.
        if (isLimit(cause)) noteLimit()
      }
    },
    async recheck(folder) {
      const identity = await folderIdentity(join(root, folder))
      if (folders.get(folder)?.identity !== identity) dropBelow(folder)
    },
    resetLimit() {
      limit = maxFolders
    },
    close() {
      isClosed = true
      dropBelow('')
    },
  }
}

const isWithin = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`)

/** A folder, and those that it is in. */
export const withParents = (folder: string): string[] => {
  const names = folder === '' ? [] : folder.split('/')
  return [...names.map((_, index) => names.slice(0, names.length - index).join('/')), '']
}

/** Tells a folder from another one that takes its place. Undefined if there is none. */
export const folderIdentity = async (path: string): Promise<string | undefined> => {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined)
  return stats?.isDirectory() ? `${stats.dev} ${stats.ino}` : undefined
}

/** The user, or the process, may not watch more. */
const isLimit = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && /^(?:ENOSPC|EMFILE|ENFILE)$/.test(String(cause.code))
