/** So much of a file is read at once. */
export const chunkBytes = 256 * 1024

/** Buffers of closed files, for the next ones: thousands of new ones keep the garbage collector busy. */
const free: Buffer[] = []
const maxFree = 4

/** A buffer of `chunkBytes`. Whoever takes it gives it back. */
export const takeChunkBuffer = (): Buffer => free.pop() ?? Buffer.allocUnsafeSlow(chunkBytes)

/** Accepts a buffer that nobody reads any more. One of another size is dropped. */
export const giveBackChunkBuffer = (buffer: Buffer): void => {
  if (buffer.length === chunkBytes && free.length < maxFree) free.push(buffer)
}
