import { crc32 } from 'node:zlib'
import type { ReadableFile } from './cut-lines.ts'

/** So many bytes of its end identify a line: agents end their lines with ids and times. */
const tailBytes = 256
const LF = 10

/** A checksum of the end of a line, which is without its line feed. */
export const lineTail = (line: Buffer): number => crc32(line.subarray(-tailBytes))

/** The same of the line that ends at a position in a file. Undefined if none ends there. */
export const lineTailAt = async (file: ReadableFile, end: number): Promise<number | undefined> => {
  const start = Math.max(0, end - tailBytes - 1)
  const buffer = Buffer.alloc(end - start)
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
  if (bytesRead < buffer.length || buffer.at(-1) !== LF) return undefined
  const text = buffer.subarray(0, -1)
  return lineTail(text.subarray(text.lastIndexOf(LF) + 1))
}
