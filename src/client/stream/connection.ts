import { ApiError, clientError } from '../api-error.ts'
import type { Query, Transport } from '../transport.ts'
import { createFrameParser, type Frame } from './frames.ts'

/** What one connection requests. */
export interface ConnectionRequest {
  path: string
  query?: Query
  /** The cursor to resume from. */
  lastEventId?: string | undefined
}

export interface ConnectOptions {
  signal: AbortSignal
  /** Closes the connection after this long without a byte. Heartbeats come every 15 s. */
  silenceMs: number
  /** Closes the connection when the page becomes active after this long without a byte. */
  staleMs: number
  onRetry(ms: number): void
}

/** Opens one connection and yields the frames of each chunk. Ends when the server closes it. */
export async function* connect(
  transport: Transport,
  { path, query, lastEventId }: ConnectionRequest,
  { signal, silenceMs, staleMs, onRetry }: ConnectOptions,
): AsyncGenerator<Frame[]> {
  const { platform } = transport
  const cut = new AbortController()
  const either = AbortSignal.any([signal, cut.signal])

  /** Waits for data with a time limit, which does not run while the reader is busy. */
  const receive = async <Result>(pending: Promise<Result>): Promise<Result> => {
    const since = platform.now()
    const cancel = platform.setTimer(() => cut.abort(clientError('silent')), silenceMs)
    const undo = platform.onActive(() => {
      if (platform.now() - since > staleMs) cut.abort(clientError('stale'))
    })
    try {
      return await pending
    } catch (cause) {
      // Engines throw different errors for an abort: the signal has the reason.
      if (either.aborted) throw either.reason
      throw cause instanceof ApiError ? cause : clientError('unreachable', cause)
    } finally {
      cancel()
      undo()
    }
  }

  const headers = {
    accept: 'text/event-stream',
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  }
  try {
    const request = { path, headers, signal: either, ...(query && { query }) }
    const reader = streamBody(await receive(transport.request(request))).getReader()
    const parseFrames = createFrameParser(onRetry)
    for (;;) {
      const { done, value } = await receive(reader.read())
      if (done) return
      yield parseFrames(value)
    }
  } finally {
    cut.abort(clientError('closed'))
  }
}

const streamBody = ({ headers, body }: Response): ReadableStream<Uint8Array> => {
  if (body && headers.get('content-type')?.startsWith('text/event-stream')) return body
  throw clientError('bad_answer')
}
