import { createLineBuffer } from './line-buffer.ts'
import { createSegment, type Segment } from './segment.ts'
import { portableTextReader, type TextReader } from './text-reader.ts'

const LF = 10

/** Reads what a decoder needs from the beginning of a line, before the rest has arrived. */
export interface Shortcut<Value> {
  /**
   * Reads a line in a range of a segment. With `isWhole` the range is the complete line, otherwise
   * its beginning. The returned value replaces the line, provided that the line ends with a brace.
   * Undefined means that the line must be read as a whole.
   */
  read(segment: Segment, start: number, end: number, isWhole: boolean): Value | undefined
}

/** Receives what a line reader finds. */
export interface LineSink<Value> {
  /** The text of one line. */
  line(text: string): void
  /** The value that the shortcut read from a line. */
  value(value: Value): void
  /** A line over the limit was skipped. */
  oversize(size: number): void
  /** A line that the shortcut had started to read does not end with a brace. */
  malformed(size: number): void
  /** The stream ended inside a line. `text` is undefined if the shortcut has dropped its rest. */
  torn(size: number, text: string | undefined): void
}

export interface LineOptions<Value> {
  reader?: TextReader
  /** Maximum size of a line in bytes. Longer lines are reported and skipped. Default: 32 MiB. */
  limit?: number
  shortcut?: Shortcut<Value>
}

/** Splits a stream of bytes into lines. */
export interface LineReader {
  /** Reads the next bytes. The caller can reuse the chunk when `push` returns. */
  push(chunk: Uint8Array): void
  /** Ends the stream. A last line without a line feed is reported as torn. */
  end(): void
  /** The number of lines so far, and of blank lines. */
  counts(): { lines: number; empty: number }
}

/** Default maximum size of a line in bytes. */
export const lineLimit = 32 * 1024 * 1024

/**
 * Creates a line reader. It splits only at LF: JSON strings may contain U+2028, at which other
 * readers split. All lines of a chunk are decoded together. A line that is split over chunks is
 * buffered as bytes, so memory is bounded by the longest line.
 */
export const createLineReader = <Value>(
  sink: LineSink<Value>,
  { reader = portableTextReader, shortcut, limit = lineLimit }: LineOptions<Value> = {},
): LineReader => {
  const whole = createWholeLines(sink, shortcut, limit)
  const split = createSplitLine<Value>(reader, shortcut, limit)

  const finishSplitLine = (chunk: Uint8Array, end: number) => {
    const line = split.finish(chunk, end)
    if (line.kind === 'text') whole.readLine(line.segment, 0, line.segment.latin1.length)
    else {
      whole.countLine()
      if (line.kind === 'value') sink.value(line.value)
      else sink[line.kind](line.size)
    }
    split.reset()
  }

  return {
    push(chunk) {
      let start = 0
      if (split.size() > 0) {
        const end = chunk.indexOf(LF)
        if (end < 0) {
          split.append(chunk, 0)
          return
        }
        finishSplitLine(chunk, end)
        start = end + 1
      }
      // Most chunks end with a line, so the last byte is checked before a search.
      const stop = chunk.at(-1) === LF ? chunk.length - 1 : chunk.lastIndexOf(LF)
      if (stop >= start) {
        whole.readLines(createSegment(reader, chunk, start, stop))
        start = stop + 1
      }
      split.append(chunk, start)
    },
    end() {
      const size = split.size()
      if (size > 0) {
        whole.countLine()
        if (split.isSkipped()) sink.oversize(size)
        else sink.torn(size, split.text())
      }
      split.reset()
    },
    counts: whole.counts,
  }
}

/** Reads segments of whole lines, and counts the lines. */
const createWholeLines = <Value>(
  sink: LineSink<Value>,
  shortcut: Shortcut<Value> | undefined,
  limit: number,
) => {
  let lines = 0
  let empty = 0

  const readLine = (segment: Segment, start: number, end: number) => {
    const { latin1 } = segment
    let stop = end
    while (stop > start && isBlank(latin1.charCodeAt(stop - 1))) stop -= 1
    if (stop === start) {
      empty += 1
      return
    }
    lines += 1
    if (stop - start > limit) {
      sink.oversize(stop - start)
      return
    }
    const isClosed = latin1.charCodeAt(stop - 1) === RIGHT_BRACE
    const value = isClosed ? shortcut?.read(segment, start, stop, true) : undefined
    if (value === undefined) sink.line(segment.text(start, stop))
    else sink.value(value)
  }

  return {
    /** Reads the line in a range of a segment. */
    readLine,
    /** Reads all lines of a segment. The last of them has no LF. */
    readLines(segment: Segment) {
      const { latin1 } = segment
      let start = 0
      for (let end = latin1.indexOf('\n'); end >= 0; end = latin1.indexOf('\n', start)) {
        readLine(segment, start, end)
        start = end + 1
      }
      readLine(segment, start, latin1.length)
    },
    /** Counts a line that was not read here. */
    countLine() {
      lines += 1
    },
    counts: () => ({ lines, empty }),
  }
}

const CR = 13
const SPACE = 32
const TAB = 9
export const RIGHT_BRACE = 125

/** Most deltas are within this many bytes, so the rest of a chunk need not be decoded for them. */
const headReach = 4 * 1024

/** A shortcut must succeed within this many bytes. Otherwise a huge line is searched repeatedly. */
const shortcutReach = 64 * 1024

/** How a split line ended. */
export type FinishedLine<Value> =
  | { kind: 'text'; segment: Segment }
  | { kind: 'value'; value: Value }
  | { kind: 'oversize' | 'malformed'; size: number }

/** A line that arrives in several chunks. */
export interface SplitLine<Value> {
  /** The number of bytes so far; 0 while no line is split. */
  size(): number
  /** Adds the rest of a chunk. */
  append(chunk: Uint8Array, start: number): void
  /** Adds the last bytes: those of the chunk up to `end`. Call `reset` after reading the line. */
  finish(chunk: Uint8Array, end: number): FinishedLine<Value>
  /** True if the line is over the limit, so that its bytes are not stored. */
  isSkipped(): boolean
  /** The text so far; undefined if the shortcut has dropped it. */
  text(): string | undefined
  /** Forgets the line. */
  reset(): void
}

export const createSplitLine = <Value>(
  reader: TextReader,
  shortcut: Shortcut<Value> | undefined,
  limit: number,
): SplitLine<Value> => {
  const buffer = createLineBuffer()
  let size = 0
  let mode: 'store' | 'skip' | 'shortcut' = 'store'
  let value: Value | undefined
  /** The last byte that is not white space: it must be a brace for the shortcut to count. */
  let lastByte = 0

  const noteLastByte = (chunk: Uint8Array, start: number, end: number) => {
    let at = end - 1
    while (at >= start && isBlank(chunk[at] ?? 0)) at -= 1
    if (at >= start) lastByte = chunk[at] ?? 0
  }

  const tryShortcut = (bytes: Uint8Array, start: number, end: number) => {
    if (!shortcut) return
    const segment = createSegment(reader, bytes, start, end)
    value = shortcut.read(segment, 0, segment.latin1.length, false)
    if (value === undefined) return
    mode = 'shortcut'
    buffer.clear()
  }

  return {
    size: () => size,
    append(chunk, start) {
      const end = chunk.length
      if (start === end) return
      if (size === 0) tryShortcut(chunk, start, Math.min(end, start + headReach))
      size += end - start
      if (mode === 'store') {
        buffer.add(chunk, start, end)
        if (size > limit) {
          mode = 'skip'
          buffer.clear()
        } else if (size <= shortcutReach) tryShortcut(buffer.bytes(), 0, buffer.size())
      }
      if (mode !== 'store') noteLastByte(chunk, start, end)
    },
    finish(chunk, end) {
      const total = size + end
      if (mode === 'store' && total <= limit) {
        buffer.add(chunk, 0, end)
        return { kind: 'text', segment: createSegment(reader, buffer.bytes(), 0, buffer.size()) }
      }
      noteLastByte(chunk, 0, end)
      if (mode !== 'shortcut' || total > limit) return { kind: 'oversize', size: total }
      if (value !== undefined && lastByte === RIGHT_BRACE) return { kind: 'value', value }
      return { kind: 'malformed', size: total }
    },
    isSkipped: () => mode === 'skip',
    text: () => (mode === 'store' ? reader.utf8(buffer.bytes(), 0, buffer.size()) : undefined),
    reset() {
      buffer.clear()
      size = 0
      mode = 'store'
      value = undefined
    },
  }
}

export const isBlank = (code: number): boolean => code === SPACE || code === TAB || code === CR
