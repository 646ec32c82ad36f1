import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { dataHeaders } from '../auth/headers.ts'
import { type Problem, problemBody, problemHeaders } from '../shared/problem.ts'

/** A response to send: JSON, or bytes, or chunks that are sent while they are made. */
export interface RouteResponse {
  status: number
  headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  body?: unknown
  bytes?: string | Uint8Array
  /** Read only as fast as it is sent. When it fails, the connection is closed before the end. */
  chunks?: Readable | AsyncIterable<string> | Iterable<string>
}

/** Every response is data that no cache stores, unless its own headers say otherwise. */
const defaultHeaders = { ...dataHeaders, 'Cache-Control': 'no-store' }

/** Sends a response, without its body when the request was a HEAD. */
export const sendResponse = (
  response: ServerResponse,
  { status, headers, body, bytes, chunks }: RouteResponse,
  onError: (cause: unknown) => void,
): void => {
  response.once('finish', () => drainBody(response.req))
  if (chunks) {
    sendChunks(response, { status, headers: { ...defaultHeaders, ...headers }, chunks }, onError)
    return
  }
  const content = body === undefined ? bytes : JSON.stringify(body)
  if (content !== undefined && content.length > sliceBytes) {
    const whole = typeof content === 'string' ? Buffer.from(content) : content
    const all = {
      ...defaultHeaders,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      'Content-Length': String(whole.byteLength),
      ...headers,
    }
    sendChunks(response, { status, headers: all, chunks: Readable.from(slicesOf(whole)) }, onError)
    return
  }
  response.writeHead(status, {
    ...defaultHeaders,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(content !== undefined && { 'Content-Length': Buffer.byteLength(content) }),
    ...headers,
  })
  response.end(content)
}

/** The response of a refused request. */
export const problemResponse = (problem: Problem): RouteResponse => ({
  status: problem.status,
  headers: {
    ...problemHeaders(problem),
    // The rest of the body is not read, so the connection cannot serve another request.
    ...(leavesBodyUnread(problem) && { Connection: 'close' }),
  },
  body: problemBody(problem),
})

const leavesBodyUnread = ({ code }: Problem): boolean =>
  code === 'too_large' || code === 'overloaded'

interface ChunkedResponse {
  status: number
  headers: Readonly<Record<string, string>>
  chunks: NonNullable<RouteResponse['chunks']>
}

const sendChunks = (
  response: ServerResponse,
  { status, headers, chunks }: ChunkedResponse,
  onError: (cause: unknown) => void,
): void => {
  const source = chunks instanceof Readable ? chunks : Readable.from(sliced(chunks))
  if (response.destroyed) {
    source.destroy() // or an open file would stay open
    return
  }
  response.writeHead(status, { ...headers })
  if (response.req.method === 'HEAD') {
    source.destroy()
    response.end()
    return
  }
  pipeline(source, response).catch((cause: unknown) => {
    if (!isDisconnect(cause)) onError(cause)
  })
}

/** How much is written at once: a larger write would hold up all other connections. */
const sliceBytes = 512 * 1024

/** Chunks of text, those that are large in slices. */
async function* sliced(
  chunks: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string | Uint8Array> {
  for await (const chunk of chunks)
    if (chunk.length <= sliceBytes) yield chunk
    else yield* slicesOf(Buffer.from(chunk))
}

function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += sliceBytes)
    yield bytes.subarray(at, at + sliceBytes)
}

/** The client went away before the end, which is not an error of the server. */
const isDisconnect = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ERR_STREAM_PREMATURE_CLOSE'

const drainTimeoutMs = 500

/**
 * Reads and discards what is left of a request body, so that the connection can serve the next
 * request. A client that keeps sending is disconnected after half a second.
 */
const drainBody = (request: IncomingMessage): void => {
  if (request.complete || request.destroyed) return
  const timer = setTimeout(() => request.socket.destroySoon(), drainTimeoutMs).unref()
  request.once('close', () => clearTimeout(timer))
  request.resume()
}
