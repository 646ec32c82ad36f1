import { checksumOf } from '../../log/checksum.ts'
import { oneLineJson } from '../../shared/one-line-json.ts'

/**
 * The format of a stream: server-sent events, one frame per event. Used by everything that builds
 * frames: the ring, pages of the log, snapshots, the overview and connections. A frame has no line
 * break inside its data, also none of Unicode, at which some readers would cut it.
 */

/**
 * The frame of an event, made of its JSON text as it is stored: the checksum of the text is part of
 * the id.
 */
export const frameOf = (seq: number, json: string): string => {
  // The same text as that of `formatEventCursor`, in half the time.
  checksumBytes.writeUInt32BE(checksumOf(json))
  return `id: ${seq}-${checksumBytes.toString('hex')}\ndata: ${oneLineJson(json)}\n\n`
}

const checksumBytes = Buffer.alloc(4)

/** The frame of a notice: an event that is about the connection and in no session’s log. */
export const noticeOf = (event: object): string => `data: ${oneLineJson(JSON.stringify(event))}\n\n`

/** Bytes that are sent to many connections, always as a whole. */
export interface SharedBuffer {
  readonly bytes: Buffer
  /** The bytes compressed, once for all connections that want gzip. */
  deflated?: Buffer
  /** Pending while `deflated` is being made. */
  deflating?: Promise<void>
}

/** The data line of a frame, for all connections; each adds its own id and the empty line. */
export const sharedLineOf = (json: string): SharedBuffer => ({
  bytes: Buffer.from(`data: ${oneLineJson(json)}\n`),
})

/** A comment that keeps a connection alive: 2 KiB, since proxies hold smaller writes back. */
export const heartbeat = Buffer.from(`:${' '.repeat(2045)}\n\n`)

/** How many ms the client should wait before it reconnects. */
export const retryHint = (delayMs: number): string => `retry: ${delayMs}\n\n`
