import type { EventSourceMessage } from 'eventsource-parser'
import { ApiError, noAnswer } from '../api-error.ts'
import type { Query, Transport } from '../transport.ts'
import { createFrames } from './frames.ts'

/** What one connection asks for. */
export interface Opening {
  path: string
  query?: Query
  /** The cursor. */
  lastEventId?: string | undefined
}

export interface ConnectionOptions {
  signal: AbortSignal
  /** Without a byte for so long, the connection is dead. Heartbeats come every 15 s. */
  silenceMs: number
  /** When the tab wakes, a connection that has missed a heartbeat is not waited for. */
  staleMs: number
  onRetry(ms: number): void
}

/** One connection: the frames of each piece as it arrives. Ends when the server ends it. */
export async function* connect(
  server: Transport,
  { path, query, lastEventId }: Opening,
  { signal, silenceMs, staleMs, onRetry }: ConnectionOptions,
): AsyncGenerator<EventSourceMessage[]> {
  const { world } = server
  const cut = new AbortController()
  const both = AbortSignal.any([signal, cut.signal])
  let heard = world.now()

  /** Waits for the connection, but not for ever; not while nobody reads from us. */
  const heardFrom = async <Result>(waiting: Promise<Result>): Promise<Result> => {
    heard = world.now()
    const cancel = world.later(() => cut.abort(noAnswer('silent')), silenceMs)
    const undo = world.onWake(() => {
      if (world.now() - heard > staleMs) cut.abort(noAnswer('stale'))
    })
    try {
      return await waiting
    } catch (cause) {
      // Engines differ in what they throw for an abort: the signal knows why.
      if (both.aborted) throw both.reason
      throw cause instanceof ApiError ? cause : noAnswer('unreachable', cause)
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
    const reader = bodyOf(await heardFrom(server.ask(ask))).getReader()
    const frames = createFrames(onRetry)
    for (;;) {
      const { done, value } = await heardFrom(reader.read())
      if (done) return
      yield frames(value)
    }
  } finally {
    cut.abort(noAnswer('closed'))
  }
}

const bodyOf = ({ headers, body }: Response): ReadableStream<Uint8Array> => {
  if (body && headers.get('content-type')?.startsWith('text/event-stream')) return body
  throw noAnswer('bad_answer')
}
