import { mkdir } from 'node:fs/promises'

/**
 * Creates a directory for its owner only, unless it exists. The directory above it must exist: a data
 * directory that somebody has moved away must not come back empty in its old place.
 */
export const makeChildDirectory = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause
  }
}
