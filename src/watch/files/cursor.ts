import { openOwnFile } from '../../files/open-own-file.ts'
import type { FileSource } from '../sources/file-source.ts'
import { cutLines, type FileLine, maxLineBytes, type ReadableFile } from './cut-lines.ts'
import { lineTail, lineTailAt } from './line-tail.ts'
import { lineTimeOf, type ParsedLine, parseLine } from './parse-line.ts'
import type { Track } from './tracks.ts'

/** A line of a file, parsed. */
export interface CursorLine {
  /** Undefined if the line has nothing that a reader needs. */
  parsed: ParsedLine | undefined
  at: number | undefined
  end: number
}

/** Goes through the new lines of one file. */
export interface Cursor {
  readonly track: Track
  /** When the next line was written; undefined if there is none, or if it does not say. */
  nextAt(): number | undefined
  isAtEnd(): boolean
  /** The next lines, as long as no other cursor has an earlier one. Ends with what is in memory. */
  takeUntil(others: readonly Cursor[]): Iterable<CursorLine>
  /** Reads more lines, if those in memory are taken. */
  fill(): Promise<void>
  close(): Promise<void>
}

export interface CursorOptions {
  root: string
  track: Track
  source: FileSource
}

/** Undefined if the file cannot be read. `rewritten`: it is not the one that was read before. */
export const openCursor = async (
  path: string,
  { root, track, source }: CursorOptions,
): Promise<Cursor | 'rewritten' | undefined> => {
  const opened = await openOwnFile(path, root)
  if (!opened) return undefined
  const { file, stats } = opened
  const size = Number(stats.size)
  const isOther = track.inode !== undefined && track.inode !== stats.ino
  if (isOther || size < (track.skippedTo ?? track.offset) || !(await hasSameTail(file, track))) {
    await file.close()
    return 'rewritten'
  }
  track.inode = stats.ino
  const chunks = cutLines(upTo(file, size), track.skippedTo ?? track.offset)
  let cut: readonly FileLine[] = []
  let lines: CursorLine[] = []
  let index = 0
  let isDone = false
  let end = track.offset
  const tail = (): number | undefined => {
    const { bytes } = cut[index - 1] ?? {}
    return bytes && lineTail(bytes)
  }
  /** What follows overwrites the lines. */
  const keepTail = (): void => {
    if (track.tail !== tail) return
    const last = tail()
    track.tail = () => last
  }

  const fill = async (): Promise<void> => {
    if (isDone || index < lines.length) return
    keepTail()
    const { value, done } = await chunks.next()
    isDone = done === true
    index = 0
    cut = withSkipped(value ?? [], track)
    lines = cut.map((line): CursorLine => {
      const parsed = parseLine(line, source)
      return { parsed, at: parsed?.value && lineTimeOf(parsed.value), end: line.end }
    })
    end = lines.at(-1)?.end ?? end
    if (isDone && size - end > maxLineBytes) track.skippedTo = size
  }
  await fill()
  return {
    track,
    nextAt: () => lines[index]?.at,
    isAtEnd: () => isDone,
    *takeUntil(others) {
      const rivals = others.filter((each) => each.track !== track && !each.isAtEnd())
      let limit = Infinity
      for (const each of rivals) limit = Math.min(limit, each.nextAt() ?? -Infinity)
      let isFirst = true
      for (let line = lines[index]; line; line = lines[index]) {
        if (!isFirst && (line.at ?? 0) > limit) return
        isFirst = false
        index += 1
        track.tail = tail
        yield line
      }
    },
    fill,
    async close() {
      keepTail()
      await chunks.return(undefined)
      await file.close()
    },
  }
}

/** Whether the file still has the line that was read last where it was. */
const hasSameTail = async (file: ReadableFile, track: Track): Promise<boolean> => {
  const tail = track.tail()
  return tail === undefined || (await lineTailAt(file, track.offset)) === tail
}

/** A file as long as it is now, so that reading one that grows for ever has an end. */
const upTo = (file: ReadableFile, size: number): ReadableFile => ({
  async read(buffer, offset, length, position) {
    if (position >= size) return { bytesRead: 0 }
    return file.read(buffer, offset, Math.min(length, size - position), position)
  },
})

/** The end of a line whose beginning was too long already, as the whole line. */
const withSkipped = (lines: readonly FileLine[], track: Track): readonly FileLine[] => {
  const [first, ...others] = lines
  if (track.skippedTo === undefined || !first) return lines
  track.skippedTo = undefined
  return [{ bytes: undefined, size: first.end - track.offset - 1, end: first.end }, ...others]
}

/** The cursor with the earliest next line. A line that does not say when belongs to the one before. */
export const earliest = (cursors: readonly Cursor[]): Cursor | undefined => {
  let first: Cursor | undefined
  for (const cursor of cursors) {
    if (cursor.isAtEnd()) continue
    if (!first || (cursor.nextAt() ?? -Infinity) < (first.nextAt() ?? -Infinity)) first = cursor
  }
  return first
}
