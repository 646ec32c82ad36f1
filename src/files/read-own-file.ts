import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs'
import { relative, sep } from 'node:path'

export interface OwnFileOptions {
  /** Where the file must be. */
  directory: string
  /** What its path from there must look like, with `/` between the names. */
  pattern: RegExp
  maxBytes: number
}

/** The beginning of a text file. */
export interface OwnFile {
  text: string
  /** The size of the whole file, in bytes. */
  size: number
}

/**
 * Reads the beginning of a text file that an agent names, at once. Only a regular file that really is at
 * the expected place is read: no link leads out of there, and a pipe is never waited for. Undefined if
 * it is none.
 */
export const readOwnFile = (
  path: string,
  { directory, pattern, maxBytes }: OwnFileOptions,
): OwnFile | undefined => {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch {
    return undefined
  }
  try {
    const stats = fstatSync(file)
    // A second name could be that of a secret.
    if (!stats.isFile() || stats.nlink !== 1) return undefined
    const place = relative(realpathSync(directory), openedPath(file, path))
    if (!pattern.test(place.split(sep).join('/'))) return undefined
    const bytes = Buffer.alloc(Math.min(stats.size, maxBytes))
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, length)
    return { text: wholeText(bytes.subarray(0, length)), size: stats.size }
  } catch {
    return undefined
  } finally {
    closeSync(file)
  }
}

/** The path of the file that was opened. Where the system does not tell, that of the name by now. */
const openedPath = (file: number, path: string): string => {
  try {
    return readlinkSync(`/proc/self/fd/${file}`)
  } catch {
    return realpathSync(path)
  }
}

/** Without the first bytes of a character that was cut. */
const wholeText = (bytes: Buffer): string => new TextDecoder().decode(bytes, { stream: true })
