import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * How many bytes this user can still write to the disk that a directory is on. Of a directory that
 * does not exist yet, it is the disk of the nearest one above it. Undefined when the system does not say.
 */
export const freeSpaceOf = async (directory: string): Promise<number | undefined> => {
  try {
    const { bavail, bsize } = await statfs(directory)
    return bavail * bsize
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const parent = dirname(directory)
    return isMissing && parent !== directory ? freeSpaceOf(parent) : undefined
  }
}
