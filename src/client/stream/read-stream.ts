import type { ApiError } from '../api-error.ts'
import { type Platform, wait } from '../platform.ts'
import type { Transport } from '../transport.ts'
import { retryDelay } from './backoff.ts'
import { type ResumableStream, readConnection } from './read-connection.ts'
import type { StreamState } from './state.ts'

export interface StreamOptions {
  /** Ends the stream. */
  signal?: AbortSignal
  onState?(state: StreamState): void
  /** Without a byte for so long, a connection is taken for dead; 40 s unless told otherwise. */
  silenceMs?: number
}

/** Answers that the next try would get again. */
const finalStatuses: readonly number[] = [401, 403, 404, 410]

/**
 * The events of a stream, as many at a time as came at once. Goes on over as many connections as it
 * takes; ends by the signal, and throws what no further try would change.
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
      const both = restart ? AbortSignal.any([signal, restart]) : signal
      const ending = yield* readConnection(transport, stream, { signal: both, silenceMs, onFirst })
      if (both.aborted || ending.isImmediate) continue
      const { error, retryMs: hintMs } = ending
      if (finalStatuses.includes(error.status)) {
        if (stream.skipRefused?.(error)) continue
        failure = error
        throw error
      }
      const asked = { hintMs, retryAfter: error.retryAfter }
      const delayMs = retryDelay(attempt, platform.random(), asked)
      attempt += 1
      onState({ status: 'waiting', attempt, delayMs, error })
      await waitOrWake(platform, delayMs, both)
    }
  } finally {
    onState({ status: 'stopped', ...(failure && { error: failure }) })
  }
}

/** Waits, but not when the network or the reader is back. */
const waitOrWake = async (platform: Platform, ms: number, signal: AbortSignal): Promise<void> => {
  const woken = new AbortController()
  const undo = platform.onActive(() => woken.abort())
  await wait(platform, ms, AbortSignal.any([signal, woken.signal]))
  undo()
}
