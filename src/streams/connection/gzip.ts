import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync, type ZlibOptions, constants as zlib } from 'node:zlib'
import type { Chunk } from '../fan-out/chunk.ts'
import { contextBytes } from '../fan-out/page.ts'
import type { SharedBuffer } from '../fan-out/shared-buffer.ts'
import type { Encoding } from './encoding.ts'

/** What a gzip stream begins with: deflate, no name, no time, no system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

/**
 * One gzip stream for one connection, made of parts that all connections share. A part ends on a
 * byte and looks back only on what stands before it on its page, so whoever has just been sent that
 * can go on with it; all others get one that looks back on nothing. There is no last block and no
 * checksum: a stream of events has no end.
 */
export const createGzip = (): Encoding => {
  let begun = false
  /** The page that was sent last, and how much of its end, without anything after it. */
  let page = 0
  let sent = 0
  /** The end of what was sent for this connection alone, if nothing came after it. */
  let tail: Buffer | undefined

  const opened = (bytes: Buffer): Buffer => {
    if (begun) return bytes
    begun = true
    return Buffer.concat([header, bytes])
  }

  return {
    name: 'gzip',
    piece(piece) {
      const { bytes, before } = piece
      if (piece.page !== page) sent = 0
      const known = before.length <= sent
      page = piece.page
      tail = undefined
      sent += bytes.length
      return opened(known ? deflated(piece) : deflatedAlone(piece))
    },
    shared(shared) {
      page = 0
      tail = endOf(shared.bytes)
      shared.deflated ??= deflate(shared.bytes)
      return opened(shared.deflated)
    },
    alone(bytes) {
      const before = tail
      page = 0
      tail = endOf(bytes)
      return opened(deflate(bytes, before))
    },
  }
}

/** Has something large compressed before it is sent, so that nobody waits for it meanwhile. */
export const deflateAhead = async (shared: SharedBuffer): Promise<void> => {
  if (shared.deflated || shared.bytes.length < worthAThread) return
  shared.deflating ??= inThread(shared.bytes, settings).then((deflated) => {
    shared.deflated = deflated
  })
  await shared.deflating
}

const worthAThread = 64 * 1024
const inThread: (bytes: Buffer, options: ZlibOptions) => Promise<Buffer> = promisify(deflateRaw)

/** As much of the end as a compressor looks back on. */
const endOf = (bytes: Buffer): Buffer =>
  bytes.length > contextBytes ? Buffer.from(bytes.subarray(-contextBytes)) : bytes

const deflated = (piece: Chunk): Buffer => {
  if (piece.before.length === 0) return deflatedAlone(piece)
  piece.deflated ??= deflate(piece.bytes, piece.before)
  return piece.deflated
}

const deflatedAlone = (piece: Chunk): Buffer => {
  piece.deflatedAlone ??= deflate(piece.bytes)
  return piece.deflatedAlone
}

/** Small tables: a part is small, and clearing them would cost more than the work. */
const settings = { level: 3, memLevel: 5, finishFlush: zlib.Z_SYNC_FLUSH }

const deflate = (bytes: Buffer, dictionary?: Buffer): Buffer =>
  deflateRawSync(bytes, dictionary ? { ...settings, dictionary } : settings)
