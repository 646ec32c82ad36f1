import type { ReadText } from '../lines/index.ts'

/** Node’s own UTF-8 reader, several times as fast as TextDecoder on short texts. */
export const nodeText: ReadText = (bytes, start, end) =>
  Buffer.isBuffer(bytes)
    ? bytes.toString('utf8', start, end)
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8', start, end)
