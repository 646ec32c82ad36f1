import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'

export interface StreamedBody {
  headers: Readonly<Record<string, string>>
  /** Read only as fast as it is sent, and never as a whole. */
  source: Readable | AsyncIterable<string> | Iterable<string>
}

/** Sends an answer while it is made. One that breaks off is cut, so that nobody takes it for whole. */
export const sendStream = (
  outgoing: ServerResponse,
  { headers, source }: StreamedBody,
  report: (cause: unknown) => void,
): Response => {
  const readable = source instanceof Readable ? source : Readable.from(source)
  if (outgoing.destroyed) {
    readable.destroy() // nothing would read it to its end, and a file would stay open
    return RESPONSE_ALREADY_SENT
  }
  outgoing.writeHead(200, { ...headers })
  pipeline(readable, outgoing).catch((cause: unknown) => {
    // Whoever goes away before the end does nothing wrong.
    if (!isGone(cause)) report(cause)
  })
  return RESPONSE_ALREADY_SENT
}

const isGone = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ERR_STREAM_PREMATURE_CLOSE'
