/** Bytes of one unfinished line. Grows by doubling, so a huge line in small chunks stays linear. */
export const createLineBuffer = () => {
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
