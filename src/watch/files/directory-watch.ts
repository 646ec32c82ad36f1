import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createWatchedFolders, folderIdentity, withParents } from './watched-folders.ts'

/** Reports changes below a directory. The system watches each folder; files need nothing more. */
export interface DirectoryWatch {
  /** Watches the directory and all folders below it, as far as the limit allows. */
  addAll(): Promise<void>
  /** Watches these folders, the latest first, rather than others without changes. */
  prefer(folders: readonly string[]): Promise<void>
  /** Whether all folders are watched. */
  isComplete(): boolean
  /** Whether the directory is still the one that is watched. */
  isCurrent(): Promise<boolean>
  close(): void
}

export interface DirectoryWatchOptions {
  /** Called with the path of a file below the directory that may have changed. */
  onChange(path: string): void
  /** Called with the path of a file that came with a new folder. It can be old. */
  onFound(path: string): void
  /** Called once, when the system watches no more folders. */
  onLimit(): void
  onError(cause: unknown): void
  /** The most folders that are watched at once. */
  maxFolders?: number
}

/** Deeper folders are only looked at now and then. */
const maxDepth = 8

export const createDirectoryWatch = (
  root: string,
  { onChange, onFound, onLimit, onError, maxFolders = 4096 }: DirectoryWatchOptions,
): DirectoryWatch => {
  const onEvent = (folder: string, type: string, name: string): void => {
    folders.touch(folder)
    const path = pathIn(folder, name)
    if (path.endsWith('.jsonl')) onChange(path)
    else if (type === 'rename') void recheck(path).catch(onError)
    if (type === 'rename' && name === basename(join(root, folder))) onOwnEvent(folder)
  }
  /** A folder that is moved or deleted reports its own name. The next one can look the same. */
  const onOwnEvent = (folder: string): void => {
    folders.leave(folder)
    if (folder === '') isGone = true
    else void recheck(folder).catch(onError)
  }
  const folders = createWatchedFolders({ root, maxFolders, onEvent, onLimit })
  let identity: string | undefined
  let isGone = false

  /** Of a folder that is new, the files are reported: no event was about them. */
  const add = async (folder: string, isNew: boolean): Promise<void> => {
    if (folder.split('/').length > maxDepth) return
    const found = await folders.identityToWatch(folder)
    if (found === undefined) return
    if (isNew || !folders.isFull()) folders.start(folder, found)
    if (!isNew && !folders.has(folder)) return
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = pathIn(folder, entry.name)
      if (entry.isDirectory()) await add(path, isNew)
      else if (isNew && entry.isFile() && path.endsWith('.jsonl')) onFound(path)
    }
  }

  /** Something with this path was made, moved or deleted. */
  const recheck = async (folder: string): Promise<void> => {
    await folders.recheck(folder)
    if (folder !== '') await add(folder, true)
  }

  return {
    async addAll() {
      identity = await folderIdentity(root)
      await add('', false)
    },
    async prefer(wanted) {
      folders.resetLimit()
      // The latest comes last, so that it is left last.
      const latest = wanted.slice(0, maxFolders).toReversed()
      for (const folder of latest) folders.touch(folder)
      for (const folder of latest)
        for (const each of withParents(folder).toReversed()) {
          const found = await folders.identityToWatch(each)
          if (found !== undefined) folders.start(each, found)
        }
    },
    isComplete: () => !folders.isFull(),
    isCurrent: async () => !isGone && (await folderIdentity(root)) === identity,
    close: folders.close,
  }
}

const pathIn = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`
