import { crc32 } from 'node:zlib'

/** A write that waits for the cluster. */
export type JournalWrite = EventsWrite | BlobWrite

export interface EventsWrite {
  readonly kind: 'events'
  readonly sessionId: string
  /** The seq of the first event. */
  readonly first: number
  /** The JSON of each event. */
  readonly texts: readonly string[]
}

export interface BlobWrite {
  readonly kind: 'blob'
  readonly sessionId: string
  readonly mimeType?: string
  readonly bytes: Uint8Array
}

/** A record begins with the length and the CRC-32 of its content, in 4 bytes each. */
const headLength = 8

/** A write as a record: a line of JSON that describes it, and its events or bytes. */
export const encodeRecord = (write: JournalWrite): Buffer[] => {
  const { body, ...about } =
    write.kind === 'events'
      ? { ...write, texts: undefined, body: Buffer.from(write.texts.join('\n')) }
      : { ...write, bytes: undefined, body: Buffer.from(write.bytes) }
  const line = Buffer.from(`${JSON.stringify(about)}\n`)
  const head = Buffer.alloc(headLength)
  head.writeUInt32LE(line.length + body.length, 0)
  head.writeUInt32LE(crc32(body, crc32(line)), 4)
  return [head, line, body]
}

/** What a journal holds. */
export interface JournalContent {
  readonly writes: readonly JournalWrite[]
  /** How many bytes the complete records take. What follows was not written to the end. */
  readonly length: number
  /** Whether what follows is a whole record with wrong bytes, so that more than the end may be lost. */
  readonly isDamaged: boolean
}

/** Reads records up to the first that is not complete. */
export const decodeRecords = (bytes: Buffer): JournalContent => {
  const writes: JournalWrite[] = []
  let at = 0
  while (at + headLength <= bytes.length) {
    const end = at + headLength + bytes.readUInt32LE(at)
    if (end > bytes.length) break
    const content = bytes.subarray(at + headLength, end)
    const isWhole = content.length > 0 && crc32(content) === bytes.readUInt32LE(at + 4)
    if (!isWhole) return { writes, length: at, isDamaged: true }
    writes.push(writeOf(content))
    at = end
  }
  return { writes, length: at, isDamaged: false }
}

const writeOf = (content: Buffer): JournalWrite => {
  const lineEnd = content.indexOf(10)
  const about = JSON.parse(content.subarray(0, lineEnd).toString())
  const body = content.subarray(lineEnd + 1)
  if (about.kind === 'events') return { ...about, texts: body.toString().split('\n') }
  return { ...about, bytes: new Uint8Array(body) }
}
