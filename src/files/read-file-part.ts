import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { reasonOfFailure, type UnreadReason } from './read-regular-file.ts'
import { wholeCharacters } from './whole-characters.ts'

/** A part of a text file. The numbers are bytes. */
export interface FilePart {
  text: string
  /** Where the part begins. */
  from: number
  /** Where the part ends. */
  next: number
  /** The size of the file when it was read. */
  size: number
}

/**
 * Reads a part of a growing text file that a stranger may have made: from a byte on, or its end.
 * Symbolic links are not followed, and a pipe is never waited for. No character is cut.
 */
export const readFilePart = async (
  path: string,
  { from, maxBytes }: { from?: number | undefined; maxBytes: number },
): Promise<FilePart | Exclude<UnreadReason, 'too_large'>> => {
  let file: FileHandle
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (cause) {
    return reasonOfFailure(cause)
  }
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return 'not_a_file'
    const { size } = stats
    const start = Math.min(from ?? Math.max(0, size - maxBytes), size)
    const bytes = Buffer.alloc(Math.min(size - start, maxBytes))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
    return { ...partOf(bytes.subarray(0, bytesRead), start), size }
  } finally {
    await file.close()
  }
}

const partOf = (bytes: Buffer, start: number): Pick<FilePart, 'text' | 'from' | 'next'> => {
  const { first, last } = wholeCharacters(bytes)
  return { text: bytes.toString('utf8', first, last), from: start + first, next: start + last }
}
