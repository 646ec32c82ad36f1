/**
 * The latest frames of a session, in pages of memory that all its readers share. Old pages are
 * dropped for new ones: the log has every event. Filled and read by the fan-out.
 */
export interface Ring {
  /** Adds the frame of an event. The ring starts over with it if there is a gap before it. */
  add(seq: number, frame: string): void
  /** Frames after a cursor; undefined if the ring has dropped them, or does not have them yet. */
  after(cursor: number): Chunk | undefined
  /** The number of bytes added so far: the byte position of the latest frame. */
  bytesAdded(): number
}

/** Consecutive frames of a session, as bytes that all its readers share. */
export interface Chunk {
  /** The seq of the first frame. */
  readonly first: number
  /** The seq of the last frame. */
  readonly last: number
  /** The unique number of the page that holds it. */
  readonly page: number
  readonly bytes: Buffer
  /** The bytes before it on its page, as far back as a compressor looks. */
  readonly context: Buffer
  /** What `Ring.bytesAdded` was at its last frame; undefined for a chunk from the log. */
  readonly endPosition: number | undefined
  /** Its frames taken apart, for streams of several sessions. */
  split?: SplitFrames
  /** Its frames without id lines, for streams of many sessions. */
  withoutIds?: Buffer
  /** Its frames with ids that name the session, for multiplexed streams of this session alone. */
  withSessionId?: Buffer
  /** Its bytes compressed, for connections that were just sent `context`. */
  deflated?: Buffer
  /** Its bytes compressed, for all other connections. */
  deflatedAlone?: Buffer
}

/** The frames of a chunk, taken apart: their ids, and what follows the id line of each. */
export interface SplitFrames {
  ids: readonly string[]
  /** As Latin-1: a character per byte, which is the fastest to join. */
  rests: readonly string[]
}

/** The usual size of a page, and so the most that a reader is sent at once. */
export const pageBytes = 64 * 1024

const smallestPage = 4096

/** How far back a compressor looks: enough to find how events of the same type are written. */
export const contextBytes = 2048

export const createRing = (limit: number): Ring => {
  let pages: Page[] = []
  let size = 0
  let bytesAdded = 0
  let latest: Page | undefined

  const addPage = (seq: number, frame: string): Page => {
    // A quiet session needs little memory; a busy one soon gets full pages.
    const pageSize = Math.min(pageBytes, Math.max(smallestPage, size))
    const page = createPage(seq, frame, pageSize, bytesAdded)
    pages.push(page)
    size += page.size
    while (size > limit && pages.length > 1) size -= pages.shift()?.size ?? 0
    latest = page
    return page
  }

  const clear = () => {
    pages = []
    size = 0
    latest = undefined
  }

  return {
    add(seq, frame) {
      if (latest && latest.last() + 1 !== seq) clear()
      bytesAdded += latest?.add(frame) || addPage(seq, frame).add(frame)
    },
    after(cursor) {
      const next = cursor + 1
      if (!latest || next > latest.last()) return undefined
      if (next >= latest.first) return latest.after(cursor)
      return pages.findLast((page) => page.first <= next)?.after(cursor)
    },
    bytesAdded: () => bytesAdded,
  }
}

/** Consecutive frames, side by side in memory. */
interface Page {
  /** The seq of the first frame. */
  readonly first: number
  /** The seq of the last frame; one less than `first` while the page is empty. */
  last(): number
  /** Its size in memory, full or not. */
  readonly size: number
  /** Adds the next frame and returns its length in bytes; 0 when there is no room. */
  add(frame: string): number
  /** All frames after a cursor. Callers with the same cursor get the same chunk. */
  after(cursor: number): Chunk
}

/** Makes a page with room for its first frame, however large; `start` is its byte position. */
const createPage = (first: number, frame: string, size: number, start: number): Page => {
  const bytes = Buffer.allocUnsafeSlow(roomFor(frame, size))
  const ends: number[] = []
  const number = nextPageNumber()
  let used = 0
  let chunk: Chunk | undefined

  const last = () => first + ends.length - 1

  const chunkAfter = (cursor: number): Chunk => {
    const begin = cursor < first ? 0 : (ends[cursor - first] ?? used)
    return {
      first: cursor + 1,
      last: last(),
      page: number,
      bytes: bytes.subarray(begin, used),
      context: bytes.subarray(Math.max(0, begin - contextBytes), begin),
      endPosition: start + used,
    }
  }

  return {
    first,
    last,
    size: bytes.length,
    add(frame) {
      const room = bytes.length - used
      // A character is at most three bytes long: only the last frames of a page must be measured.
      if (frame.length * 3 > room && Buffer.byteLength(frame) > room) return 0
      const written = bytes.write(frame, used)
      used += written
      ends.push(used)
      return written
    },
    after(cursor) {
      if (chunk?.first !== cursor + 1 || chunk.last !== last()) chunk = chunkAfter(cursor)
      return chunk
    },
  }
}

let pageCount = 0
/** A number that no other page has. */
export const nextPageNumber = (): number => {
  pageCount += 1
  return pageCount
}

const roomFor = (frame: string, size: number): number =>
  frame.length * 3 <= size ? size : Math.max(size, Buffer.byteLength(frame))
