import type { Chunk } from './chunk.ts'
import { createPage, type FramePage, pageBytes } from './page.ts'

/** The latest frames of a session. Older ones make room for newer ones: the log has them all. */
export interface Ring {
  /** Adds the frame of an event. One that does not follow the last one begins the ring anew. */
  add(seq: number, frame: string): void
  /** What lies behind a cursor; undefined when it is no longer here, or not yet. */
  after(cursor: number): Chunk | undefined
  /** How many bytes have been added in all. */
  passed(): number
}

const smallestPage = 4096

export const createRing = (limit: number): Ring => {
  let pages: FramePage[] = []
  let size = 0
  let passed = 0
  let latest: FramePage | undefined

  const begin = (seq: number, frame: string): FramePage => {
    // A quiet session takes little memory; a busy one soon has full pages.
    const page = createPage(seq, frame, Math.min(pageBytes, Math.max(smallestPage, size)), passed)
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
      passed += latest?.add(frame) || begin(seq, frame).add(frame)
    },
    after(cursor) {
      const next = cursor + 1
      if (!latest || next > latest.last()) return undefined
      if (next >= latest.first) return latest.after(cursor)
      return pages.findLast((page) => page.first <= next)?.after(cursor)
    },
    passed: () => passed,
  }
}
