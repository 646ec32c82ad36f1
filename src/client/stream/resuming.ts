import type { ApiError } from '../api-error.ts'
import { type Platform, wait } from '../platform.ts'
import type { Transport } from '../transport.ts'
import { delayOf } from './backoff.ts'
import { listen, type Resumable } from './listen.ts'
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
export async function* resuming<Event extends { type: string }>(
  server: Transport,
  stream: Resumable<Event>,
  options: StreamOptions = {},
): AsyncGenerator<Event[], void> {
  const { world } = server
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
      const ending = yield* listen(server, stream, { signal: both, silenceMs, onFirst })
      if (both.aborted || ending.isHasty) continue
      const { error, hintMs } = ending
      if (finalStatuses.includes(error.status)) {
        if (stream.leave?.(error)) continue
        failure = error
        throw error
      }
      const asked = { hintMs, retryAfter: error.retryAfter }
      const delayMs = delayOf(attempt, world.random(), asked)
      attempt += 1
      onState({ status: 'waiting', attempt, delayMs, error })
      await waitOrWake(world, delayMs, both)
    }
  } finally {
    onState({ status: 'stopped', ...(failure && { error: failure }) })
  }
}

/** Waits, but not when the network or the reader is back. */
const waitOrWake = async (world: Platform, ms: number, signal: AbortSignal): Promise<void> => {
  const woken = new AbortController()
  const undo = world.onWake(() => woken.abort())
  await wait(world, ms, AbortSignal.any([signal, woken.signal]))
  undo()
}
