import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { WorkspaceRefusal } from '../agents/workspace.ts'
import { isSameFile, ownPath } from './handle-path.ts'

/**
 * Replaces a file by its real path, at once: a reader sees the old content or the new one. Another name
 * of the old file, which may lie outside of the project, keeps the old content.
 */
export const replaceFile = async (
  path: string,
  content: string,
): Promise<WorkspaceRefusal | undefined> => {
  let directory: FileHandle | undefined
  try {
    directory = await openDirectory(dirname(path))
    await writeInto(ownPath(directory) ?? dirname(path), basename(path), content)
    return undefined
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause
    return { refusal: `${path} was not written: ${cause.message}`, kind: 'failed' }
  } finally {
    await directory?.close()
  }
}

const openFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Opens a directory by its real path, and creates those that are missing. */
const openDirectory = async (path: string): Promise<FileHandle> => {
  const existing = await openExisting(path)
  if (existing) return existing
  if (dirname(path) === path) throw new Error('there is no directory above it')
  const above = await openDirectory(dirname(path))
  try {
    const below = join(ownPath(above) ?? dirname(path), basename(path))
    await mkdir(below)
    return await open(below, openFlags)
  } finally {
    await above.close()
  }
}

/** The directory; undefined if it does not exist. */
const openExisting = async (path: string): Promise<FileHandle | undefined> => {
  let directory: FileHandle
  try {
    directory = await open(path, openFlags)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  }
  if (await isSameFile(directory, path)) return directory
  await directory.close()
  throw new Error('a directory above it has just been replaced')
}

const writeInto = async (directory: string, name: string, content: string): Promise<void> => {
  const target = join(directory, name)
  const old = await lstat(target).catch(() => undefined)
  if (old && !old.isFile()) throw new Error('it is not a regular file')
  const temporary = join(directory, `.${name.slice(0, 60)}.${randomUUID().slice(0, 8)}.new`)
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
  try {
    try {
      await file.writeFile(content)
      if (old) await keepOwner(file, old)
    } finally {
      await file.close()
    }
    await rename(temporary, target)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw cause
  }
}

const keepOwner = async (file: FileHandle, { mode, uid, gid }: Stats): Promise<void> => {
  // Only root may give a file to somebody else.
  await file.chown(uid, gid).catch(() => {})
  await file.chmod(mode & 0o777)
}
