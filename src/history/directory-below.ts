import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'

/** A directory that is open, so that nobody can put a link in its place. */
export interface OpenDirectory {
  /** The path of a name in it. */
  pathOf(name: string): string
  close(): Promise<void>
}

/**
 * Opens a directory below another one, name by name, and creates what does not exist, for this user only. Throws
 * if there is a link or something else on the way. `root` is a real path.
 */
export const openDirectoryBelow = async (
  root: string,
  names: readonly string[],
): Promise<OpenDirectory> => {
  let current = await openDirectory(root)
  for (const name of names) {
    const next = current.pathOf(name)
    await mkdir(next, { mode: 0o700 }).catch((cause: unknown) => {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause
    })
    const above = current
    current = await openDirectory(next).finally(() => above.close())
  }
  return current
}

const openDirectory = async (path: string): Promise<OpenDirectory> => {
  if (process.platform === 'linux') {
    const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
    const handle: FileHandle = await open(path, flags)
    return {
      pathOf: (name) => `/proc/self/fd/${handle.fd}/${name}`,
      close: () => handle.close(),
    }
  }
  // Other systems have no path of an open directory: it is checked, and then used by its name.
  if (!(await lstat(path)).isDirectory()) throw new Error(`${path} is not a directory.`)
  return { pathOf: (name) => join(path, name), close: async () => {} }
}
