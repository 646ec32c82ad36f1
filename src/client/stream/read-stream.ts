import type { ApiError } from '../api-error.ts'
import { type Platform, wait } from '../platform.ts'
import type { Transport } from '../transport.ts'
import { retryDelay } from './backoff.ts'
import { type ResumableStream, readConnection } from './read-connection.ts'

/** The connection of a stream. */
export type StreamState =
  | { readonly status: 'connecting'; readonly attempt: number }
  /** Events arrive as they happen. */
  | { readonly status: 'live' }
  /** The connection is lost; the client reconnects after a delay. */
  | {
      readonly status: 'waiting'
      /** The number of the next try, from 1. */
      readonly attempt: number
      readonly delayMs: number
      readonly error: ApiError
    }
  /** The stream was closed, or failed with an error that no retry would change. */
  | { readonly status: 'stopped'; readonly error?: ApiError }

export interface StreamOptions {
  /** Closes the stream. */
  signal?: AbortSignal
  /** Receives each change of the connection. */
  onState?(state: StreamState): void
  /** Reconnects after this long without a byte. Default: 40 s. */
  silenceMs?: number
}

/** Statuses that a retry would get again. */
const finalStatuses: readonly number[] = [401, 403, 404, 410]

/**
 * Yields the events of a stream, those that arrive together in one array. Reconnects as often as
 * needed; ends when the signal aborts, and throws what no retry would change.
 */
export async function* readStream<Event extends { type: string }>(
  transport: Transport,
  stream: ResumableStream<Event>,
  options: StreamOptions = {},
): AsyncGenerator<Event[], void> {
  const { platform } = transport
  const { signal = new AbortController().signal, onState = () => {}, silenceMs = 40_000 } = options
  let attempt = 0
  let failure: ApiError | undefined
  const onFirst = () => {
    attempt = 0
    onState({ status: 'live' })
  }
  try {
    while (!signal.aborted) {
      onState({ status: 'connecting', attempt })
      const restart = stream.restart?.()
      const either = restart ? AbortSignal.any([signal, restart]) : signal
      const end = yield* readConnection(transport, stream, { signal: either, silenceMs, onFirst })
      if (either.aborted || end.isImmediate) continue
      const { error, retryMs } = end
      if (finalStatuses.includes(error.status)) {
        if (stream.skipRefused?.(error)) continue
        failure = error
        throw error
      }
      const hint = { retryMs, retryAfter: error.retryAfter }
      const delayMs = retryDelay(attempt, platform.random(), hint)
      attempt += 1
      onState({ status: 'waiting', attempt, delayMs, error })
      await waitUntilActive(platform, delayMs, either)
    }
  } finally {
    onState({ status: 'stopped', ...(failure && { error: failure }) })
  }
}

/** Yields events one by one, however many arrive together. */
export async function* oneByOne<Event>(
  batches: AsyncIterable<Event[]>,
): AsyncGenerator<Event, void> {
  for await (const batch of batches) yield* batch
}

/** Waits, but only until the network is back or the page becomes visible. */
const waitUntilActive = async (
  platform: Platform,
  ms: number,
  signal: AbortSignal,
): Promise<void> => {
  const active = new AbortController()
  const undo = platform.onActive(() => active.abort())
  await wait(platform, ms, AbortSignal.any([signal, active.signal]))
  undo()
}
