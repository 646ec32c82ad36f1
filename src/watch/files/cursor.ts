import { openOwnFile } from '../../files/open-own-file.ts'
import type { FileSource } from '../sources/file-source.ts'
import { cutLines } from './cut-lines.ts'
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
  const isOther = track.inode !== undefined && track.inode !== stats.ino
  if (isOther || stats.size < track.offset) {
    await file.close()
    return 'rewritten'
  }
  track.inode = stats.ino
  const chunks = cutLines(file, track.offset)
  let lines: CursorLine[] = []
  let index = 0
  let isDone = false

  const fill = async (): Promise<void> => {
    if (isDone || index < lines.length) return
    const { value, done } = await chunks.next()
    isDone = done === true
    index = 0
    lines = (value ?? []).map((line): CursorLine => {
      const parsed = parseLine(line, source)
      return { parsed, at: parsed?.value && lineTimeOf(parsed.value), end: line.end }
    })
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
        yield line
      }
    },
    fill,
    async close() {
      await chunks.return(undefined)
      await file.close()
    },
  }
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
