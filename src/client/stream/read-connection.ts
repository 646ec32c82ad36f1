import type { EventSourceMessage } from 'eventsource-parser'
import { ApiError, clientError } from '../api-error.ts'
import type { Transport } from '../transport.ts'
import { connect, type StreamRequest } from './connection.ts'

/** A stream that outlives its connections: where each begins, and what its frames mean. */
export interface ResumableStream<Event> {
  request(): StreamRequest
  /** What a frame says; undefined where that is nothing new, or nothing known. */
  accept(frame: EventSourceMessage): Event | undefined
  /** Set off when the stream must be opened anew, at once. */
  restart?(): AbortSignal
  /** Whether the stream can go on without what was refused. */
  skipRefused?(refusal: ApiError): boolean
}

export interface ReadConnectionOptions {
  signal: AbortSignal
  silenceMs: number
  /** The first event of the connection is there. */
  onFirst(): void
}

/** How a connection ended. */
export interface ConnectionEnd {
  error: ApiError
  /** When the server wants us back. */
  retryMs?: number
  /** There is a reason to come back at once. */
  isImmediate: boolean
}

/** Longer than this without a byte, a heartbeat is missing. */
const staleMs = 20_000

/** The events of one connection, as many at a time as came at once; then how it ended. */
export async function* readConnection<Event extends { type: string }>(
  transport: Transport,
  stream: ResumableStream<Event>,
  { signal, silenceMs, onFirst }: ReadConnectionOptions,
): AsyncGenerator<Event[], ConnectionEnd> {
  const ending: ConnectionEnd = { error: clientError('closed'), isImmediate: false }
  let isFirst = true
  let hasMoved = false
  const onRetry = (ms: number) => {
    ending.retryMs = ms
  }
  try {
    const asked = { signal, silenceMs, staleMs, onRetry }
    for await (const frames of connect(transport, stream.request(), asked)) {
      const events = frames.map(stream.accept).filter((event) => event !== undefined)
      if (events.length === 0) continue
      if (isFirst) onFirst()
      isFirst = false
      hasMoved ||= events.some(({ type }) => type !== 'resume' && type !== 'slow_consumer')
      // Who was too slow has read all that was sent by now: it has no reason to wait.
      ending.isImmediate = hasMoved && events.at(-1)?.type === 'slow_consumer'
      yield events
    }
  } catch (cause) {
    if (signal.aborted) return ending
    if (!(cause instanceof ApiError)) throw cause
    ending.error = cause
    ending.isImmediate ||= cause.code === 'stale'
  }
  return ending
}
