import { oneSession } from '../stream/one-session.ts'
import { readStream, type StreamOptions, type StreamState } from '../stream/read-stream.ts'
import type { Transport } from '../transport.ts'
import { pump } from './pump.ts'
import {
  createTranscriptFold,
  type TranscriptOptions,
  type TranscriptStore,
} from './transcript-store.ts'

export interface FollowOptions extends TranscriptOptions, Omit<StreamOptions, 'onState'> {}

/** Follows one session over its own connection. */
export const follow = (
  transport: Transport,
  sessionId: string,
  { signal, silenceMs, ...options }: FollowOptions = {},
): TranscriptStore => {
  const closing = new AbortController()
  const transcript = createTranscriptFold(sessionId, options)
  let state: StreamState = { status: 'connecting', attempt: 0 }
  const onState = (next: StreamState) => {
    state = next
    transcript.changed()
  }
  const batches = readStream(
    transport,
    oneSession(sessionId, options.cursor ?? options.from?.seq),
    {
      signal: signal ? AbortSignal.any([signal, closing.signal]) : closing.signal,
      onState,
      ...(silenceMs !== undefined && { silenceMs }),
    },
  )
  void pump(batches, transcript.accept, onState)
  return {
    sessionId,
    get: transcript.get,
    subscribe: transcript.subscribe,
    isLoaded: transcript.isLoaded,
    cursor: transcript.cursor,
    state: () => state,
    close: () => closing.abort(),
  }
}
