import type { FileHandle } from 'node:fs/promises'
import { lstat, readlink } from 'node:fs/promises'
import { resolveLinks } from '../files/real-path.ts'

/**
 * Whether an open file is the one that a real path names. Between the check of a path and its use, a
 * directory of the path can be replaced by a symbolic link.
 */
export const isSameFile = async (file: FileHandle, path: string): Promise<boolean> => {
  const own = ownPath(file)
  if (own !== undefined) return (await readlink(own)) === path
  const [opened, named] = await Promise.all([
    file.stat({ bigint: true }),
    lstat(path, { bigint: true }),
  ])
  return opened.dev === named.dev && opened.ino === named.ino && resolveLinks(path) === path
}

/** A path that leads to an open file, wherever the file is moved; undefined where there is none. */
export const ownPath = (file: FileHandle): string | undefined =>
  process.platform === 'linux' ? `/proc/self/fd/${file.fd}` : undefined
