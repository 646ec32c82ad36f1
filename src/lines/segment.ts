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
  /** The bytes from `searched` to `wide` are ASCII. */
  let searched = 0
  let wide = -1

  /** Searches each byte once, as long as the ranges are in order. */
  const isAsciiRange = (start: number, end: number): boolean => {
    isAscii ??= reader.isAscii(bytes.subarray(from, to))
    if (isAscii) return true
    if (start < searched || start > wide) {
      searched = start
      wide = wideIndex(latin1, start)
    }
    return end <= wide
  }

  return {
    latin1,
    // ASCII bytes have the same text in both encodings. One character beyond ASCII in a chunk must
    // not cost all its lines a call of the decoder, which takes longer than a short line is worth.
    text: (start, end) =>
      isAsciiRange(start, end)
        ? latin1.slice(start, end)
        : reader.utf8(bytes, from + start, from + end),
  }
}

const beyondAscii = /[\u0080-\uffff]/g

/** The first index at or after `start` that is not ASCII; the length of the text if there is none. */
const wideIndex = (latin1: string, start: number): number => {
  beyondAscii.lastIndex = start
  return beyondAscii.test(latin1) ? beyondAscii.lastIndex - 1 : latin1.length
}

/** True if `part` is at an index. (`startsWith` with a position is ten times slower in V8.) */
export const matchesAt = (text: string, index: number, part: string): boolean =>
  text.slice(index, index + part.length) === part
