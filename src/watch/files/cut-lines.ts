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

const chunkBytes = 256 * 1024
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
  let buffer: Buffer = Buffer.allocUnsafe(chunkBytes)
  /** Where the buffer begins in the file, and how much of it is filled. */
  let start = from
  let length = 0
  /** How much of a line that is too long was dropped. */
  let dropped = 0
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, start + length)
    if (bytesRead === 0) return
    const searched = length
    length += bytesRead
    const filled = buffer.subarray(0, length)
    const lines: FileLine[] = []
    let at = 0
    for (let lf = filled.indexOf(LF, searched); lf !== -1; lf = filled.indexOf(LF, at)) {
      const size = dropped + lf - at
      const bytes = dropped === 0 ? filled.subarray(at, lf) : undefined
      lines.push({ bytes, size, end: start + lf + 1 })
      dropped = 0
      at = lf + 1
    }
    if (lines.length > 0) yield lines
    filled.copyWithin(0, at)
    start += at
    length -= at
    if (length >= maxLineBytes || (dropped > 0 && length > 0)) {
      dropped += length
      start += length
      length = 0
    } else if (length === buffer.length) buffer = grown(buffer)
  }
}

const grown = (buffer: Buffer): Buffer => {
  const larger = Buffer.allocUnsafe(Math.min(buffer.length * 4, maxLineBytes + chunkBytes))
  buffer.copy(larger)
  return larger
}
