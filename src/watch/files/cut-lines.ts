import { chunkBytes, giveBackChunkBuffer, takeChunkBuffer } from './chunk-buffers.ts'

/** What is read: a file that is open, or a part of one. */
export interface ReadableFile {
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number }>
}

/** One complete line of a file. */
export interface FileLine {
  /** Without the line feed. Valid until the next lines are read. Undefined if the line is too long. */
  bytes: Buffer | undefined
  /** How long the line is, in bytes. */
  size: number
  /** Where the next line begins. */
  end: number
}

/** No agent writes longer lines. They are skipped, and not held in memory. */
export const maxLineBytes = 32 * 1024 * 1024
const LF = 10

/**
 * Cuts a file into lines, from a position that begins one. A last line without a line feed may still be
 * written, so it is left out. Memory is bounded by the longest line.
 */
export const cutLines = async function* (
  file: ReadableFile,
  from: number,
): AsyncGenerator<readonly FileLine[], void> {
  let buffer = takeChunkBuffer()
  /** Where the buffer begins in the file, and how much of it is filled. */
  let start = from
  let length = 0
  /** How much of a line that is too long was dropped. */
  let dropped = 0
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, start + length)
      if (bytesRead === 0) return
      const searched = length
      length += bytesRead
      const { lines, rest } = cut(buffer.subarray(0, length), { searched, start, dropped })
      if (lines.length > 0) {
        dropped = 0
        yield lines
      }
      buffer.copyWithin(0, rest, length)
      start += rest
      length -= rest
      if (length >= maxLineBytes || (dropped > 0 && length > 0)) {
        dropped += length
        start += length
        length = 0
      } else if (length === buffer.length) buffer = grown(buffer)
    }
  } finally {
    giveBackChunkBuffer(buffer)
  }
}

/** The lines in a part of a file that begins at `start`, and where the unfinished last one begins. */
const cut = (
  filled: Buffer,
  { searched, start, dropped }: { searched: number; start: number; dropped: number },
): { lines: FileLine[]; rest: number } => {
  const lines: FileLine[] = []
  let rest = 0
  for (let lf = filled.indexOf(LF, searched); lf !== -1; lf = filled.indexOf(LF, rest)) {
    // Of a line that is too long, only the end is still there.
    const isWhole = dropped === 0 || lines.length > 0
    const size = lf - rest + (isWhole ? 0 : dropped)
    lines.push({
      bytes: isWhole ? filled.subarray(rest, lf) : undefined,
      size,
      end: start + lf + 1,
    })
    rest = lf + 1
  }
  return { lines, rest }
}

const grown = (buffer: Buffer): Buffer => {
  const larger = Buffer.allocUnsafe(Math.min(buffer.length * 4, maxLineBytes + chunkBytes))
  buffer.copy(larger)
  giveBackChunkBuffer(buffer)
  return larger
}
