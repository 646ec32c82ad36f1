import { closeSync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs'

const chunkBytes = 1024 * 1024

/**
 * Writes the content of a write-ahead log (WAL) that a process left behind to the disk once more.
 * After a failed flush, the system shows what was written, but does not write it again: a later flush
 * would report success, and a power cut could still lose it. Does nothing when there is no WAL.
 */
export const rewriteWal = (path: string): void => {
  const file = openExisting(path)
  if (file === undefined) return
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes)
    let position = 0
    for (;;) {
      const length = readSync(file, chunk, 0, chunkBytes, position)
      if (length === 0) break
      writeSync(file, chunk, 0, length, position)
      position += length
    }
    if (position > 0) fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}

const openExisting = (path: string): number | undefined => {
  try {
    return openSync(path, 'r+')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  }
}
