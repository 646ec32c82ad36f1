import type { Chunk } from './chunk.ts'
import { contextBytes, nextPageNumber } from './page.ts'

/** Frames from the log that follow one another. */
export interface LogPage {
  readonly first: number
  readonly last: number
  /** Everything behind a cursor. The same piece for everyone who asks for the same. */
  after(cursor: number): Chunk
}

/** Made at once and as one: most are sent as a whole and never looked into. */
export const createLogPage = (first: number, last: number, frames: string): LogPage => {
  const bytes = Buffer.from(frames)
  const page = nextPageNumber()
  let piece: Chunk | undefined

  /** Where the frame behind a cursor begins. JSON holds no line feed, so that two of them end one. */
  const startOf = (cursor: number): number => {
    let start = 0
    for (let seq = first; seq <= cursor; seq += 1) start = bytes.indexOf('\n\n', start) + 2
    return start
  }

  return {
    first,
    last,
    after(cursor) {
      if (piece?.first === cursor + 1) return piece
      const start = startOf(cursor)
      piece = {
        first: cursor + 1,
        last,
        page,
        bytes: bytes.subarray(start),
        before: bytes.subarray(Math.max(0, start - contextBytes), start),
        passed: undefined,
      }
      return piece
    },
  }
}
