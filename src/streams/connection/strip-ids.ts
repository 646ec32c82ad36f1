import type { Chunk } from '../fan-out/chunk.ts'
import { idBytes } from '../fan-out/frame.ts'

/** Frames without their ids, for a stream of several sessions: made once for all of those. */
export const stripIds = (piece: Chunk): Buffer => {
  piece.plain ??= withoutIds(piece)
  return piece.plain
}

const withoutIds = ({ first, last, bytes }: Chunk): Buffer => {
  const parts: Buffer[] = []
  let start = 0
  for (let seq = first; seq <= last; seq += 1) {
    const end = bytes.indexOf('\n\n', start) + 2
    parts.push(bytes.subarray(start + idBytes(seq), end))
    start = end
  }
  return Buffer.concat(parts)
}
