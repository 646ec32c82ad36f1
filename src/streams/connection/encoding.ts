import type { Piece } from '../fan-out/chunk.ts'
import type { Shared } from '../fan-out/shared-buffer.ts'

/** How bytes are written for one connection: as they are, or compressed. */
export interface Coding {
  /** The name in `Content-Encoding`; absent where nothing is done. */
  readonly name?: string
  /** What shared frames become. */
  piece(piece: Piece): Buffer
  /** What other bytes become that are the same for all. */
  shared(shared: Shared): Buffer
  /** What bytes become that are for this connection alone. */
  alone(bytes: Buffer): Buffer
}

export const identity: Coding = {
  piece: ({ bytes }) => bytes,
  shared: ({ bytes }) => bytes,
  alone: (bytes) => bytes,
}

/** Whether an `Accept-Encoding` header asks for gzip. */
export const wantsGzip = (accepted: string | undefined): boolean =>
  (accepted ?? '')
    .split(',')
    .some((each) => /^\s*(?:x-)?gzip\s*(?:$|;(?!\s*q=0(?:\.0*)?\s*$))/i.test(each))
