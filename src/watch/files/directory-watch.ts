import { type FSWatcher, watch } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Reports changes below a directory. The system watches each folder; files need nothing more. */
export interface DirectoryWatch {
  /** Watches the directory and all folders below it. */
  addAll(): Promise<void>
  close(): void
}

export interface DirectoryWatchOptions {
  /** Called with the path of a file below the directory that may have changed. */
  onChange(path: string): void
  onError(cause: unknown): void
}

/** Folders beyond this number, or deeper ones, are only looked at now and then. */
const maxFolders = 4096
const maxDepth = 8

export const createDirectoryWatch = (
  root: string,
  { onChange, onError }: DirectoryWatchOptions,
): DirectoryWatch => {
  const watchers = new Map<string, FSWatcher>()
  let isClosed = false

  const drop = (folder: string): void => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }

  const onEvent = (folder: string, name: string): void => {
    const path = folder === '' ? name : `${folder}/${name}`
    if (path.endsWith('.jsonl')) onChange(path)
    // A folder that is new has files that no event was about.
    else if (!watchers.has(path)) void add(path, true).catch(onError)
  }

  const start = (folder: string): void => {
    try {
      const watcher = watch(join(root, folder), { persistent: false }, (_, name) => {
        if (!isClosed && name !== null) onEvent(folder, name)
      })
      watcher.on('error', () => drop(folder))
      watchers.set(folder, watcher)
    } catch {
      // It is gone, or the system watches no more folders: it is looked at now and then.
    }
  }

  const add = async (folder: string, isNew: boolean): Promise<void> => {
    if (isClosed || watchers.has(folder) || watchers.size >= maxFolders) return
    if (folder.split('/').length > maxDepth) return
    const stats = await lstat(join(root, folder)).catch(() => undefined)
    if (!stats?.isDirectory() || isClosed || watchers.has(folder)) return
    start(folder)
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) await add(path, isNew)
      else if (isNew && entry.isFile() && path.endsWith('.jsonl')) onChange(path)
    }
  }

  return {
    addAll: () => add('', false),
    close() {
      isClosed = true
      for (const folder of [...watchers.keys()]) drop(folder)
    },
  }
}
