/** The bytes of one unfinished line. */
export interface LineBuffer {
  /** Appends a range of a chunk. */
  add(chunk: Uint8Array, start: number, end: number): void
  /** The buffer itself. Only the first `size()` bytes are part of the line. */
  bytes(): Uint8Array
  /** The number of bytes of the line. */
  size(): number
  /** Empties the buffer, and releases its memory if that is large. */
  clear(): void
}

/** Creates a buffer that grows by doubling, so a huge line in small chunks stays linear. */
export const createLineBuffer = (): LineBuffer => {
  let bytes = new Uint8Array(0)
  let used = 0
  return {
    add(chunk, start, end) {
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
