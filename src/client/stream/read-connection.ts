import { createParser } from 'eventsource-parser'
import { ApiError, clientError } from '../api-error.ts'
import type { Query, Transport } from '../transport.ts'

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

/** What one connection requests. */
export interface ConnectionRequest {
  path: string
  query?: Query
  /** The cursor to resume from. */
  lastEventId?: string | undefined
}

interface ConnectOptions {
  signal: AbortSignal
  /** Closes the connection after this long without a byte. Heartbeats come every 15 s. */
  silenceMs: number
  /** Closes the connection when the page becomes active after this long without a byte. */
  staleMs: number
  onRetry(ms: number): void
}

/** Opens one connection and yields the frames of each chunk. Ends when the server closes it. */
async function* connect(
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

/** One frame of a server-sent event stream. */
export interface Frame {
  readonly id?: string | undefined
  readonly data: string
}

/** The most characters of one frame: the snapshot of a long session is large. */
const frameLimit = 128 * 1024 * 1024

/** Parses a stream: each chunk of bytes returns the frames that it completes. */
const createFrameParser = (onRetry: (ms: number) => void): ((bytes: Uint8Array) => Frame[]) => {
  let frames: Frame[] = []
  let isTooLarge = false
  const decoder = new TextDecoder()
  const parser = createParser({
    maxBufferSize: frameLimit,
    onEvent: (frame) => frames.push(frame),
    onRetry,
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') isTooLarge = true
    },
  })
  return (bytes) => {
    frames = []
    parser.feed(decoder.decode(bytes, { stream: true }))
    if (isTooLarge) throw clientError('frame_too_large')
    return frames
  }
}
