import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** What was read of a regular file. */
export interface RegularFile {
  bytes: Buffer
  stats: BigIntStats
}

/** Why a file was not read. */
export type UnreadReason = 'missing' | 'not_a_file' | 'too_large' | 'unreadable'

/**
 * Reads a file that a stranger may have made. It never waits for a writer: a pipe, a device or a
 * socket is opened without blocking and refused. Symbolic links are followed; the file that is read
 * is the file that was checked. `isExpected` can refuse the file that was opened.
 */
export const readRegularFile = async (
  path: string | Buffer,
  maxBytes: number,
  isExpected: (file: FileHandle) => Promise<boolean> = async () => true,
): Promise<RegularFile | UnreadReason> => {
  let file: FileHandle
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch (cause) {
    return reasonOfFailure(cause)
  }
  try {
    const stats = await file.stat({ bigint: true })
    if (!stats.isFile()) return 'not_a_file'
    if (!(await isExpected(file))) return 'unreadable'
    if (stats.size > maxBytes) return 'too_large'
    // A file that grows while it is read is read as far as it was checked.
    const bytes = Buffer.alloc(Number(stats.size))
    return { bytes: bytes.subarray(0, await fill(file, bytes)), stats }
  } catch (cause) {
    return reasonOfFailure(cause)
  } finally {
    await file.close()
  }
}

const fill = async (file: FileHandle, bytes: Buffer): Promise<number> => {
  let size = 0
  while (size < bytes.length) {
    const { bytesRead } = await file.read(bytes, size, bytes.length - size, size)
    if (bytesRead === 0) break
    size += bytesRead
  }
  return size
}

/** Why a file could not be opened or read. Throws what is not an error of the file system. */
export const reasonOfFailure = (cause: unknown): Exclude<UnreadReason, 'too_large'> => {
  if (!(cause instanceof Error) || !('code' in cause)) throw cause
  const { code } = cause
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing'
  return code === 'ENXIO' || code === 'EISDIR' || code === 'ELOOP' ? 'not_a_file' : 'unreadable'
}
