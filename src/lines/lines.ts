const LF = 10
const CR = 13
const SPACE = 32
const TAB = 9
const BRACE = 125

/** Reads what a decoder needs from the beginning of a line, before the rest has arrived. */
export interface Shortcut<Value> {
  /**
   * Looks at `bytes[start, end)`: a whole line when `whole`, else its beginning. The value stands
   * for the line, provided that the line, once complete, ends in a brace. Undefined: read it all.
   */
  read(bytes: Uint8Array, start: number, end: number, whole: boolean): Value | undefined
}

/** What a line reader tells. Byte ranges are only valid during the call. */
export interface LineSink<Value> {
  line(bytes: Uint8Array, start: number, end: number): void
  /** A line that a shortcut has read. */
  value(value: Value): void
  /** A line over the limit, skipped. */
  oversize(size: number): void
  /** A line that a shortcut had begun to read and that did not end as it must. */
  malformed(size: number): void
  /** The stream ended inside a line. `bytes` is undefined when a shortcut had dropped its tail. */
  torn(size: number, bytes: Uint8Array | undefined): void
}

export interface LineOptions<Value> {
  /** Longest line in bytes; longer ones are reported and skipped. */
  limit?: number
  shortcut?: Shortcut<Value>
}

/** A shortcut must succeed within so many bytes, or a huge line would be looked at over and over. */
const shortcutReach = 256 * 1024

/** Longest line that is read unless an option says otherwise. */
export const lineLimit = 32 * 1024 * 1024

/**
 * Splits bytes into lines, on LF only: JSON strings may hold U+2028, where others would cut.
 * Memory is bounded by the longest line; nothing is copied for a line that lies in one chunk, and
 * a chunk may be overwritten by its owner as soon as `push` returns.
 */
export const createLineReader = <Value>(
  sink: LineSink<Value>,
  options: LineOptions<Value> = {},
) => {
  const limit = options.limit ?? lineLimit
  const shortcut = options.shortcut
  const store = createStore()
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

  const finish = (bytes: Uint8Array, start: number, end: number) => {
    const stop = lastSolid(bytes, start, end) + 1
    if (stop === start) {
      empty += 1
      return
    }
    lines += 1
    if (stop - start > limit) return sink.oversize(stop - start)
    const short = bytes[stop - 1] === BRACE ? shortcut?.read(bytes, start, stop, true) : undefined
    if (short === undefined) sink.line(bytes, start, stop)
    else sink.value(short)
  }

  const finishLong = (chunk: Uint8Array, start: number, end: number) => {
    const total = size + end - start
    if (mode === 'keep') {
      store.add(chunk, start, end)
      finish(store.bytes(), 0, store.size())
    } else {
      lines += 1
      noteLast(chunk, start, end)
      if (mode === 'skip' || total > limit) sink.oversize(total)
      else if (value !== undefined && last === BRACE) sink.value(value)
      else sink.malformed(total)
    }
    reset()
  }

  const keepRest = (chunk: Uint8Array, start: number) => {
    const end = chunk.length
    if (start === end) return
    size += end - start
    if (mode === 'keep') {
      store.add(chunk, start, end)
      if (size > limit) {
        mode = 'skip'
        store.clear()
      } else if (size <= shortcutReach) tryShortcut()
    }
    if (mode === 'keep') return
    noteLast(chunk, start, end)
  }

  const noteLast = (chunk: Uint8Array, start: number, end: number) => {
    const solid = lastSolid(chunk, start, end)
    if (solid >= start) last = chunk[solid] ?? 0
  }

  const tryShortcut = () => {
    value = shortcut?.read(store.bytes(), 0, store.size(), false)
    if (value === undefined) return
    mode = 'shortcut'
    store.clear()
  }

  return {
    push(chunk: Uint8Array): void {
      let start = 0
      let end = chunk.indexOf(LF)
      if (end >= 0 && size > 0) {
        finishLong(chunk, 0, end)
        start = end + 1
        end = chunk.indexOf(LF, start)
      }
      while (end >= 0) {
        finish(chunk, start, end)
        start = end + 1
        end = chunk.indexOf(LF, start)
      }
      keepRest(chunk, start)
    },
    /** The stream is over: a last line without LF is handed over apart. */
    end(): void {
      if (size > 0) {
        lines += 1
        if (mode === 'skip') sink.oversize(size)
        else sink.torn(size, mode === 'keep' ? store.bytes().subarray(0, store.size()) : undefined)
      }
      reset()
    },
    /** Lines seen so far, blank ones apart. */
    counts: () => ({ lines, empty }),
  }
}

/** Index of the last byte in the range that is not white space, or `start - 1`. */
const lastSolid = (bytes: Uint8Array, start: number, end: number): number => {
  let at = end - 1
  while (at >= start) {
    const byte = bytes[at]
    if (byte !== SPACE && byte !== TAB && byte !== CR) break
    at -= 1
  }
  return at
}

/** Bytes of one unfinished line. Grows by doubling, so a huge line in small chunks stays linear. */
const createStore = () => {
  let bytes = new Uint8Array(0)
  let used = 0
  return {
    add(chunk: Uint8Array, start: number, end: number) {
      const needed = used + end - start
      if (needed > bytes.length) {
        const larger = new Uint8Array(Math.max(needed, bytes.length * 2, 4096))
        larger.set(bytes.subarray(0, used))
        bytes = larger
      }
      bytes.set(chunk.subarray(start, end), used)
      used = needed
    },
    bytes: () => bytes,
    size: () => used,
    clear() {
      used = 0
      if (bytes.length > 1024 * 1024) bytes = new Uint8Array(0)
    },
  }
}
