import { constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'

/** A file that a call would change: its text, or why it cannot be compared. */
export type TargetFile =
  | { readonly state: 'text'; readonly text: string; readonly realPath: string }
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable'; readonly reason: string }

/** Files above this size are not compared. */
const maxBytes = 2 * 1024 * 1024

/** Reads a file for a preview: only a regular file, bounded, and without waiting for a writer. */
export const readTarget = async (path: string, cwd: string): Promise<TargetFile> => {
  const absolute = resolve(cwd, path)
  try {
    return await readRegular(absolute)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'error'
    if (code !== 'ENOENT') return unreadable(`The file cannot be read (${code}).`)
    return (await isDanglingLink(absolute))
      ? unreadable('The path is a symbolic link that leads nowhere.')
      : { state: 'missing' }
  }
}

const readRegular = async (absolute: string): Promise<TargetFile> => {
  // A FIFO without a writer would block the open for good.
  const file = await open(absolute, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return unreadable('The path is not a regular file.')
    if (stats.size > maxBytes) return unreadable(tooLarge)
    const bytes = await readUpTo(file, maxBytes + 1)
    if (bytes.length > maxBytes) return unreadable(tooLarge)
    const text = textOf(bytes)
    if (text === undefined) return unreadable('The file is not UTF-8 text.')
    return { state: 'text', text, realPath: await realpath(absolute) }
  } finally {
    await file.close()
  }
}

/** The first bytes of a file: its size may lie, or change meanwhile. */
const readUpTo = async (file: FileHandle, limit: number): Promise<Uint8Array> => {
  const buffer = new Uint8Array(limit)
  let length = 0
  while (length < limit) {
    const { bytesRead } = await file.read(buffer, length, limit - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

const tooLarge = `The file is larger than ${maxBytes / 1024 / 1024} MiB.`

const unreadable = (reason: string): TargetFile => ({ state: 'unreadable', reason })

const isDanglingLink = async (absolute: string): Promise<boolean> => {
  const stats = await lstat(absolute).catch(() => undefined)
  return stats?.isSymbolicLink() ?? false
}

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
