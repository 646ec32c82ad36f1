import type { EventSourceMessage } from 'eventsource-parser'
import { ApiError, clientError } from '../api-error.ts'
import type { Query, Transport } from '../transport.ts'
import { createFrameParser } from './frames.ts'

/** What one connection asks for. */
export interface StreamRequest {
  path: string
  query?: Query
  /** The cursor. */
  lastEventId?: string | undefined
}

export interface ConnectOptions {
  signal: AbortSignal
  /** Without a byte for so long, the connection is dead. Heartbeats come every 15 s. */
  silenceMs: number
  /** When the tab wakes, a connection that has missed a heartbeat is not waited for. */
  staleMs: number
  onRetry(ms: number): void
}

/** One connection: the frames of each piece as it arrives. Ends when the server ends it. */
export async function* connect(
  transport: Transport,
  { path, query, lastEventId }: StreamRequest,
  { signal, silenceMs, staleMs, onRetry }: ConnectOptions,
): AsyncGenerator<EventSourceMessage[]> {
  const { platform } = transport
  const cut = new AbortController()
  const both = AbortSignal.any([signal, cut.signal])
  let heard = platform.now()

  /** Waits for the connection, but not for ever; not while nobody reads from us. */
  const heardFrom = async <Result>(waiting: Promise<Result>): Promise<Result> => {
    heard = platform.now()
    const cancel = platform.setTimer(() => cut.abort(clientError('silent')), silenceMs)
    const undo = platform.onActive(() => {
      if (platform.now() - heard > staleMs) cut.abort(clientError('stale'))
    })
    try {
      return await waiting
    } catch (cause) {
      // Engines differ in what they throw for an abort: the signal knows why.
      if (both.aborted) throw both.reason
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
    const ask = { path, headers, signal: both, ...(query && { query }) }
    const reader = bodyOf(await heardFrom(transport.request(ask))).getReader()
    const frames = createFrameParser(onRetry)
    for (;;) {
      const { done, value } = await heardFrom(reader.read())
      if (done) return
      yield frames(value)
    }
  } finally {
    cut.abort(clientError('closed'))
  }
}

const bodyOf = ({ headers, body }: Response): ReadableStream<Uint8Array> => {
  if (body && headers.get('content-type')?.startsWith('text/event-stream')) return body
  throw clientError('bad_answer')
}
