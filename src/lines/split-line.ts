import { createLineBuffer } from './line-buffer.ts'
import type { Shortcut } from './lines.ts'
import { createSegment, type Segment } from './segment.ts'
import type { TextReader } from './text-reader.ts'

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
