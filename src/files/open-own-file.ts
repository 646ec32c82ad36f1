import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises'
import { isInside } from './is-inside.ts'

/** A file that is open for reading. */
export interface OpenedFile {
  file: FileHandle
  stats: BigIntStats
}

/**
 * Opens a file of this user that really is in a directory: no link leads out of there. A pipe is never
 * waited for. Undefined if there is no such file, if it is somebody else’s, or if it has a second name,
 * which could be that of a secret. `directory` is a real path.
 */
export const openOwnFile = async (
  path: string,
  directory: string,
): Promise<OpenedFile | undefined> => {
  let file: FileHandle
  try {
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW
    file = await open(path, flags | constants.O_NOCTTY)
  } catch {
    return undefined
  }
  try {
    const stats = await file.stat({ bigint: true })
    if (isOwn(stats) && isInside(await openedPath(file, path), directory)) return { file, stats }
  } catch {
    // It is gone by now.
  }
  await file.close()
  return undefined
}

const isOwn = (stats: BigIntStats): boolean =>
  stats.isFile() && stats.nlink === 1n && Number(stats.uid) === (process.getuid?.() ?? 0)

/** The path of the file that was opened. Where the system does not tell, that of the name by now. */
const openedPath = async (file: FileHandle, path: string): Promise<string> => {
  try {
    return await readlink(`/proc/self/fd/${file.fd}`)
  } catch {
    return realpath(path)
  }
}
