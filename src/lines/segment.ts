import type { TextReader } from './text-reader.ts'

/** A range of bytes that can be searched before it is decoded. */
export interface Segment {
  /** One character per byte, so that an index in this string is an index in the bytes. */
  readonly latin1: string
  /** Decodes a range of the bytes as UTF-8. */
  text(start: number, end: number): string
}

/** The bytes `[from, to)` as a segment. It is valid only until the bytes change. */
export const createSegment = (
  reader: TextReader,
  bytes: Uint8Array,
  from: number,
  to: number,
): Segment => {
  const latin1 = reader.latin1(bytes, from, to)
  let isAscii: boolean | undefined
  return {
    latin1,
    text(start, end) {
      // ASCII bytes have the same text in both encodings.
      isAscii ??= reader.isAscii(bytes.subarray(from, to))
      return isAscii ? latin1.slice(start, end) : reader.utf8(bytes, from + start, from + end)
    },
  }
}

/** True if `part` is at an index. (`startsWith` with a position is ten times slower in V8.) */
export const matchesAt = (text: string, index: number, part: string): boolean =>
  text.slice(index, index + part.length) === part
