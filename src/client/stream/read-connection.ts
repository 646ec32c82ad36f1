import { ApiError, clientError } from '../api-error.ts'
import type { Transport } from '../transport.ts'
import { type ConnectionRequest, connect } from './connection.ts'
import type { Frame } from './frames.ts'

/** A stream that continues over several connections: it holds the cursor between them. */
export interface ResumableStream<Event> {
  /** What the next connection requests. */
  request(): ConnectionRequest
  /** The event of a frame; undefined when it is a repetition or not recognised. */
  accept(frame: Frame): Event | undefined
  /** Aborts when the connection must be opened again at once. */
  restart?(): AbortSignal
  /** Drops what the server refused; false when the stream cannot continue without it. */
  skipRefused?(refusal: ApiError): boolean
}

export interface ReadConnectionOptions {
  signal: AbortSignal
  silenceMs: number
  /** Runs before the first event of the connection is yielded. */
  onFirst(): void
}

/** How a connection ended. */
export interface ConnectionEnd {
  error: ApiError
  /** When the server asks to reconnect. */
  retryMs?: number
  /** Whether to reconnect without a delay. */
  isImmediate: boolean
}

/** Longer than this without a byte, at least one heartbeat is missing. */
const staleMs = 20_000

/** Yields the events of one connection, those of one chunk together; returns how it ended. */
export async function* readConnection<Event extends { type: string }>(
  transport: Transport,
  stream: ResumableStream<Event>,
  { signal, silenceMs, onFirst }: ReadConnectionOptions,
): AsyncGenerator<Event[], ConnectionEnd> {
  const end: ConnectionEnd = { error: clientError('closed'), isImmediate: false }
  let isFirst = true
  let hasProgress = false
  const onRetry = (ms: number) => {
    end.retryMs = ms
  }
  try {
    const options = { signal, silenceMs, staleMs, onRetry }
    for await (const frames of connect(transport, stream.request(), options)) {
      const events = frames.map(stream.accept).filter((event) => event !== undefined)
      if (events.length === 0) continue
      if (isFirst) onFirst()
      isFirst = false
      hasProgress ||= events.some(({ type }) => type !== 'resume' && type !== 'slow_consumer')
      // A reader that was too slow has read everything by now, so it need not wait. But without any
      // progress, it would reconnect for ever.
      end.isImmediate = hasProgress && events.at(-1)?.type === 'slow_consumer'
      yield events
    }
  } catch (cause) {
    if (signal.aborted) return end
    if (!(cause instanceof ApiError)) throw cause
    end.error = cause
    end.isImmediate ||= cause.code === 'stale'
  }
  return end
}
