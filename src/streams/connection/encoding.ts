import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync, type ZlibOptions, constants as zlib } from 'node:zlib'
import type { SharedBuffer } from '../fan-out/frame.ts'
import { type Chunk, contextBytes } from '../fan-out/ring.ts'

/**
 * How one connection encodes what it sends: as it is, or with gzip. The acceptor chooses; the
 * connection encodes every write.
 */
export interface Encoding {
  /** Its name in `Content-Encoding`; absent for plain text. */
  readonly name?: string
  /** Encodes frames that all readers of a session share. */
  encodeChunk(chunk: Chunk): Buffer
  /** Encodes other bytes that many connections share. */
  encodeShared(shared: SharedBuffer): Buffer
  /** Encodes bytes that are for this connection alone. */
  encodeDirect(bytes: Buffer): Buffer
}

/** Sends bytes as they are. */
export const identity: Encoding = {
  encodeChunk: ({ bytes }) => bytes,
  encodeShared: ({ bytes }) => bytes,
  encodeDirect: (bytes) => bytes,
}

/** Whether an `Accept-Encoding` header accepts gzip. */
export const acceptsGzip = (header: string | undefined): boolean =>
  (header ?? '')
    .split(',')
    .some((each) => /^\s*(?:x-)?gzip\s*(?:$|;(?!\s*q=0(?:\.0*)?\s*$))/i.test(each))

/** The header of a gzip stream: deflate, without name, time and system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

/**
 * The gzip stream of one connection, made of compressed parts that all connections share. A part
 * ends on a byte, and refers back only to the bytes before it on its page. A connection that was
 * just sent those bytes gets that part; every other one gets a part that refers to nothing before
 * it. There is no last block and no checksum, because a stream of events has no end.
 */
export const createGzip = (): Encoding => {
  let hasHeader = false
  /** The page of the chunk that was sent last; 0 if something else was sent after it. */
  let page = 0
  /** How many bytes of that page were sent, without anything else in between. */
  let sentBytes = 0
  /** The end of what was sent last, if it was no chunk. */
  let tail: Buffer | undefined

  const withHeader = (bytes: Buffer): Buffer => {
    if (hasHeader) return bytes
    hasHeader = true
    return Buffer.concat([header, bytes])
  }

  return {
    name: 'gzip',
    encodeChunk(chunk) {
      if (chunk.page !== page) sentBytes = 0
      const hasContext = chunk.context.length <= sentBytes
      page = chunk.page
      tail = undefined
      sentBytes += chunk.bytes.length
      return withHeader(hasContext ? deflatedAfterContext(chunk) : deflatedAlone(chunk))
    },
    encodeShared(shared) {
      page = 0
      tail = endOf(shared.bytes)
      shared.deflated ??= deflate(shared.bytes)
      return withHeader(shared.deflated)
    },
    encodeDirect(bytes) {
      const before = tail
      page = 0
      tail = endOf(bytes)
      return withHeader(deflate(bytes, before))
    },
  }
}

/** Compresses a large buffer ahead, in another thread, so that it delays no other reader. */
export const deflateAhead = async (shared: SharedBuffer): Promise<void> => {
  if (shared.deflated || shared.bytes.length < threadBytes) return
  shared.deflating ??= deflateInThread(shared.bytes, settings).then((deflated) => {
    shared.deflated = deflated
  })
  await shared.deflating
}

/** From this size on, compressing takes longer than passing the work to another thread. */
const threadBytes = 64 * 1024
const deflateInThread: (bytes: Buffer, options: ZlibOptions) => Promise<Buffer> =
  promisify(deflateRaw)

/** As much of the end as a compressor looks back on. */
const endOf = (bytes: Buffer): Buffer =>
  bytes.length > contextBytes ? Buffer.from(bytes.subarray(-contextBytes)) : bytes

const deflatedAfterContext = (chunk: Chunk): Buffer => {
  if (chunk.context.length === 0) return deflatedAlone(chunk)
  chunk.deflated ??= deflate(chunk.bytes, chunk.context)
  return chunk.deflated
}

const deflatedAlone = (chunk: Chunk): Buffer => {
  chunk.deflatedAlone ??= deflate(chunk.bytes)
  return chunk.deflatedAlone
}

/** Small tables: parts are small, and clearing large tables would cost more than compressing. */
const settings = { level: 3, memLevel: 5, finishFlush: zlib.Z_SYNC_FLUSH }

const deflate = (bytes: Buffer, dictionary?: Buffer): Buffer =>
  deflateRawSync(bytes, dictionary ? { ...settings, dictionary } : settings)
