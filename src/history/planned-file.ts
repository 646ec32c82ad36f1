import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { openOwnFile } from '../files/open-own-file.ts'
import type { StoredFile } from '../log/stored-history.ts'

/** A file that is to be stored, and how much of it is stored already. */
export interface PlannedFile {
  readonly path: string
  /** The pieces that stay. */
  readonly kept: StoredFile['pieces']
  /** Where what is new begins and ends. */
  readonly from: number
  readonly end: number
  /** The hash of what comes before `from`. */
  readonly hash: Hash
}

/** With more pieces, a file is stored anew in a few large ones. */
const maxPieces = 64

/**
 * Finds what is new in a file. Files that only grow are stored in pieces; of a file that was changed in any
 * other way, everything is new. Of a file with lines, only whole lines count. Undefined if there is no such file.
 * `maxBytes`: only the beginning is needed.
 */
export const planFile = async (
  root: string,
  path: string,
  stored: StoredFile | undefined,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<PlannedFile | undefined> => {
  const opened = await openPlain(root, path)
  if (!opened) return undefined
  const { file } = opened
  const size = Math.min(opened.size, maxBytes)
  try {
    const end = path.endsWith('.jsonl') ? await endOfLines(file, size) : size
    if (end === 0) return undefined
    const plan = { path, end }
    if (stored && stored.bytes <= end && stored.pieces.length < maxPieces) {
      const hash = await beginningHash(file, stored.bytes)
      if (hash.copy().digest('hex') === stored.hash)
        return { ...plan, kept: stored.pieces, from: stored.bytes, hash }
    }
    return { ...plan, kept: [], from: 0, hash: createHash('sha256') }
  } finally {
    await file.close()
  }
}

/** A file that was opened for reading, with its size. */
export interface PlainFile {
  file: FileHandle
  size: number
}

/** Opens a file of this user by its path below a directory, with no link on the way. */
export const openPlain = async (root: string, path: string): Promise<PlainFile | undefined> => {
  const whole = join(root, path)
  const opened = await openOwnFile(whole, root)
  if (!opened) return undefined
  const { file, stats } = opened
  const real = await realpath(whole).catch(() => undefined)
  if (real === whole) return { file, size: Number(stats.size) }
  await file.close()
  return undefined
}

const blockBytes = 1024 * 1024

/** The bytes of a part of a file, in blocks. Throws if the file is shorter by now. */
export const readBlocks = async function* (
  file: FileHandle,
  from: number,
  end: number,
): AsyncGenerator<Buffer> {
  for (let at = from; at < end; ) {
    const block = Buffer.alloc(Math.min(blockBytes, end - at))
    const { bytesRead } = await file.read(block, 0, block.length, at)
    if (bytesRead === 0) throw new Error('A file of the agent was cut while it was read.')
    at += bytesRead
    yield block.subarray(0, bytesRead)
  }
}

/** The hash of the beginning of a file. */
export const beginningHash = async (file: FileHandle, bytes: number): Promise<Hash> => {
  const hash = createHash('sha256')
  for await (const block of readBlocks(file, 0, bytes)) hash.update(block)
  return hash
}

/** Where the last whole line ends. */
const endOfLines = async (file: FileHandle, size: number): Promise<number> => {
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - blockBytes)
    let last = -1
    let at = start
    for await (const block of readBlocks(file, start, end)) {
      const found = block.lastIndexOf(0x0a)
      if (found !== -1) last = at + found
      at += block.length
    }
    if (last !== -1) return last + 1
    end = start
  }
  return 0
}
