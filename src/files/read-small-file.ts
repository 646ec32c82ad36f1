import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

const maxBytes = 1024 * 1024

/**
 * The text of a file of at most 1 MiB that people may edit; undefined if there is none. Never waits for
 * a FIFO. Throws what is wrong with the file.
 */
export const readSmallFile = (path: string): string | undefined => {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  }
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new Error('it is not a regular file')
    if (stats.size > maxBytes) throw new Error('it is larger than 1 MiB')
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}
