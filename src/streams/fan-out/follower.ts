import type { Chunk } from './chunk.ts'

/** A reader’s place in one session. */
export interface Follower {
  /** The last event that it was given. */
  cursor: number
  /** How many bytes of the session it was given, or need not be: see `Feed`. */
  given: number
  /** Takes what comes next. False when it can take no more until it is resumed. */
  take(piece: Chunk): boolean
  /** It will be given nothing more. */
  end(why: EndOfFeed): void
}

/** It fell too far behind, the session was removed, or the log could not be read. */
export type EndOfFeed = 'slow' | 'removed' | 'failed'
