import { createLineBuffer } from './line-buffer.ts'
import { createSegment, type Segment } from './segment.ts'
import { portableTextReader, type TextReader } from './text-reader.ts'

const LF = 10
const CR = 13
const SPACE = 32
const TAB = 9
const BRACE = 125

/** Reads what a decoder needs from the beginning of a line, before the rest has arrived. */
export interface Shortcut<Value> {
  /**
   * Looks at a range of a piece: a whole line when `whole`, else its beginning. The value stands
   * for the line, provided that the line, once complete, ends in a brace. Undefined: read it all.
   */
  read(piece: Segment, start: number, end: number, whole: boolean): Value | undefined
}

/** What a line reader tells. */
export interface LineSink<Value> {
  line(text: string): void
  /** A line that a shortcut has read. */
  value(value: Value): void
  /** A line over the limit, skipped. */
  oversize(size: number): void
  /** A line that a shortcut had begun to read and that did not end as it must. */
  malformed(size: number): void
  /** The stream ended inside a line. `text` is undefined when a shortcut had dropped its tail. */
  torn(size: number, text: string | undefined): void
}

export interface LineOptions<Value> {
  reader?: TextReader
  /** Longest line in bytes; longer ones are reported and skipped. */
  limit?: number
  shortcut?: Shortcut<Value>
}

/** Most deltas lie within so many bytes: what is behind them need not be decoded. */
const headReach = 4 * 1024

/** A shortcut must succeed within so many bytes, or a huge line would be looked at over and over. */
const shortcutReach = 64 * 1024

/** Longest line that is read unless an option says otherwise. */
export const lineLimit = 32 * 1024 * 1024

/**
 * Splits bytes into lines, on LF only: JSON strings may hold U+2028, where others would cut. The
 * lines that lie in one chunk are decoded together, the one that lies in several is gathered as
 * bytes. Memory is bounded by the longest line, and a chunk may be overwritten by its owner as soon
 * as `push` returns.
 */
export const createLineReader = <Value>(
  sink: LineSink<Value>,
  { reader = portableTextReader, shortcut, limit = lineLimit }: LineOptions<Value> = {},
) => {
  const store = createLineBuffer()
  let lines = 0
  let empty = 0
  /** Bytes of the current line in earlier chunks, kept or not. */
  let size = 0
  let mode: 'keep' | 'skip' | 'shortcut' = 'keep'
  let value: Value | undefined
  /** The last byte that was not white space, which must be a brace for a shortcut to count. */
  let last = 0

  const reset = () => {
    store.clear()
    size = 0
    mode = 'keep'
    value = undefined
  }

  const readLine = (piece: Segment, start: number, end: number) => {
    const { latin1: plain } = piece
    let stop = end
    while (stop > start && isBlank(plain.charCodeAt(stop - 1))) stop -= 1
    if (stop === start) {
      empty += 1
      return
    }
    lines += 1
    if (stop - start > limit) {
      sink.oversize(stop - start)
      return
    }
    const isClosed = plain.charCodeAt(stop - 1) === BRACE
    const short = isClosed ? shortcut?.read(piece, start, stop, true) : undefined
    if (short === undefined) sink.line(piece.text(start, stop))
    else sink.value(short)
  }

  /** Whole lines, the last of them without its LF. */
  const readLines = (piece: Segment) => {
    const { latin1: plain } = piece
    let start = 0
    for (let end = plain.indexOf('\n'); end >= 0; end = plain.indexOf('\n', start)) {
      readLine(piece, start, end)
      start = end + 1
    }
    readLine(piece, start, plain.length)
  }

  const finishLong = (chunk: Uint8Array, end: number) => {
    const total = size + end
    if (mode === 'keep' && total <= limit) {
      store.add(chunk, 0, end)
      const piece = createSegment(reader, store.bytes(), 0, store.size())
      readLine(piece, 0, piece.latin1.length)
    } else {
      lines += 1
      noteLast(chunk, 0, end)
      if (mode !== 'shortcut' || total > limit) sink.oversize(total)
      else if (value !== undefined && last === BRACE) sink.value(value)
      else sink.malformed(total)
    }
    reset()
  }

  const keepRest = (chunk: Uint8Array, start: number) => {
    const end = chunk.length
    if (start === end) return
    if (size === 0) tryShortcut(chunk, start, Math.min(end, start + headReach))
    size += end - start
    if (mode === 'keep') {
      store.add(chunk, start, end)
      if (size > limit) {
        mode = 'skip'
        store.clear()
      } else if (size <= shortcutReach) tryShortcut(store.bytes(), 0, store.size())
    }
    if (mode !== 'keep') noteLast(chunk, start, end)
  }

  const noteLast = (chunk: Uint8Array, start: number, end: number) => {
    let at = end - 1
    while (at >= start && isBlank(chunk[at] ?? 0)) at -= 1
    if (at >= start) last = chunk[at] ?? 0
  }

  const tryShortcut = (bytes: Uint8Array, start: number, end: number) => {
    if (!shortcut) return
    const piece = createSegment(reader, bytes, start, end)
    value = shortcut.read(piece, 0, piece.latin1.length, false)
    if (value === undefined) return
    mode = 'shortcut'
    store.clear()
  }

  return {
    push(chunk: Uint8Array): void {
      let start = 0
      if (size > 0) {
        const end = chunk.indexOf(LF)
        if (end < 0) {
          keepRest(chunk, 0)
          return
        }
        finishLong(chunk, end)
        start = end + 1
      }
      // Most chunks are whole lines: then there is nothing to look for.
      const stop = chunk.at(-1) === LF ? chunk.length - 1 : chunk.lastIndexOf(LF)
      if (stop >= start) {
        readLines(createSegment(reader, chunk, start, stop))
        start = stop + 1
      }
      keepRest(chunk, start)
    },
    /** The stream is over: a last line without LF is handed over apart. */
    end(): void {
      if (size > 0) {
        lines += 1
        if (mode === 'skip') sink.oversize(size)
        else
          sink.torn(size, mode === 'keep' ? reader.utf8(store.bytes(), 0, store.size()) : undefined)
      }
      reset()
    },
    /** Lines seen so far, blank ones apart. */
    counts: () => ({ lines, empty }),
  }
}

const isBlank = (code: number) => code === SPACE || code === TAB || code === CR
