import type { Chunk } from '../fan-out/chunk.ts'
import type { SharedBuffer } from '../fan-out/shared-buffer.ts'

/** How bytes are written for one connection: as they are, or compressed. */
export interface Encoding {
  /** The name in `Content-Encoding`; absent where nothing is done. */
  readonly name?: string
  /** What shared frames become. */
  piece(piece: Chunk): Buffer
  /** What other bytes become that are the same for all. */
  shared(shared: SharedBuffer): Buffer
  /** What bytes become that are for this connection alone. */
  alone(bytes: Buffer): Buffer
}

export const identity: Encoding = {
  piece: ({ bytes }) => bytes,
  shared: ({ bytes }) => bytes,
  alone: (bytes) => bytes,
}

/** Whether an `Accept-Encoding` header asks for gzip. */
export const wantsGzip = (accepted: string | undefined): boolean =>
  (accepted ?? '')
    .split(',')
    .some((each) => /^\s*(?:x-)?gzip\s*(?:$|;(?!\s*q=0(?:\.0*)?\s*$))/i.test(each))
