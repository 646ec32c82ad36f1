import type { Chunk } from './chunk.ts'

/** Frames that follow one another, side by side in memory. */
export interface FramePage {
  /** The seq of the first frame. */
  readonly first: number
  /** The seq of the last frame; one before the first while it is empty. */
  last(): number
  /** How much memory it takes. */
  readonly size: number
  /** Adds the next frame and says how many bytes it is; 0 when there is no room. */
  add(frame: string): number
  /** Everything behind a cursor. The same piece for everyone who asks for the same. */
  after(cursor: number): Chunk
}

/** How large a page is, and how much a reader is given at once. */
export const pageBytes = 64 * 1024

/** How far back a compressor looks: enough to find how events of this kind are written. */
export const contextBytes = 2048

/**
 * A page that has room for its first frame, however large. `passed` is how many bytes of the session
 * lie before it, where they are counted.
 */
export const createPage = (
  first: number,
  frame: string,
  size = pageBytes,
  passed?: number,
): FramePage => {
  const bytes = Buffer.allocUnsafeSlow(roomFor(frame, size))
  const ends: number[] = []
  const number = nextPageNumber()
  let used = 0
  let piece: Chunk | undefined

  const last = () => first + ends.length - 1

  const cutAfter = (cursor: number): Chunk => {
    const start = cursor < first ? 0 : (ends[cursor - first] ?? used)
    return {
      first: cursor + 1,
      last: last(),
      page: number,
      bytes: bytes.subarray(start, used),
      before: bytes.subarray(Math.max(0, start - contextBytes), start),
      passed: passed === undefined ? undefined : passed + used,
    }
  }

  return {
    first,
    last,
    size: bytes.length,
    add(frame) {
      const room = bytes.length - used
      // A character is three bytes at most: only the last frames of a page must be counted.
      if (frame.length * 3 > room && Buffer.byteLength(frame) > room) return 0
      const written = bytes.write(frame, used)
      used += written
      ends.push(used)
      return written
    },
    after(cursor) {
      if (piece?.first !== cursor + 1 || piece.last !== last()) piece = cutAfter(cursor)
      return piece
    },
  }
}

let pages = 0
/** A number that no other page has. */
export const nextPageNumber = (): number => {
  pages += 1
  return pages
}

const roomFor = (frame: string, size: number): number =>
  frame.length * 3 <= size ? size : Math.max(size, Buffer.byteLength(frame))
