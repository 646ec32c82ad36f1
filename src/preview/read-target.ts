import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readRegularFile, type UnreadReason } from '../files/read-regular-file.ts'
import { realTargetOf } from '../files/real-path.ts'

/** A file that a call would change: its text, or why it cannot be compared. */
export type TargetFile =
  | { readonly state: 'text'; readonly text: string; readonly realPath: string }
  | { readonly state: 'missing'; readonly realPath: string }
  | { readonly state: 'unreadable'; readonly reason: string }

/** Files above this size are not compared. */
const maxBytes = 2 * 1024 * 1024

/** Reads a file for a preview: only a regular file, bounded, and without waiting for a writer. */
export const readTarget = async (path: string, cwd: string): Promise<TargetFile> => {
  const absolute = resolve(cwd, path)
  const read = await readRegularFile(absolute, maxBytes)
  if (read === 'missing') {
    const target = realTargetOf(absolute)
    return target === undefined
      ? unreadable('The path is a symbolic link that leads nowhere.')
      : { state: 'missing', realPath: target }
  }
  if (typeof read === 'string') return unreadable(reasons[read])
  const text = textOf(read.bytes)
  const realPath = await realpath(absolute).catch(() => undefined)
  if (text === undefined) return unreadable('The file is not UTF-8 text.')
  return realPath === undefined
    ? unreadable('The file has just been moved.')
    : { state: 'text', text, realPath }
}

const reasons: Record<Exclude<UnreadReason, 'missing'>, string> = {
  not_a_file: 'The path is not a regular file.',
  too_large: `The file is larger than ${maxBytes / 1024 / 1024} MiB.`,
  unreadable: 'The file cannot be read.',
}

const unreadable = (reason: string): TargetFile => ({ state: 'unreadable', reason })

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
