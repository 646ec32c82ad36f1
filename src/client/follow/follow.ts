import { oneSession } from '../stream/one.ts'
import { resuming, type StreamOptions } from '../stream/resuming.ts'
import type { StreamState } from '../stream/state.ts'
import type { Transport } from '../transport.ts'
import { pump } from './pump.ts'
import {
  createTranscript,
  type TranscriptOptions,
  type TranscriptStore,
} from './transcript-store.ts'

export interface FollowOptions extends TranscriptOptions, Omit<StreamOptions, 'onState'> {}

/** Follows one session on a connection of its own. */
export const follow = (
  server: Transport,
  sessionId: string,
  { signal, silenceMs, ...options }: FollowOptions = {},
): TranscriptStore => {
  const closing = new AbortController()
  const transcript = createTranscript(sessionId, options)
  let state: StreamState = { status: 'connecting', attempt: 0 }
  const onState = (now: StreamState) => {
    state = now
    transcript.changed()
  }
  const batches = resuming(server, oneSession(sessionId, options.from?.seq), {
    signal: signal ? AbortSignal.any([signal, closing.signal]) : closing.signal,
    onState,
    ...(silenceMs !== undefined && { silenceMs }),
  })
  void pump(batches, transcript.take, onState)
  return {
    sessionId,
    get: transcript.get,
    subscribe: transcript.subscribe,
    isLoaded: transcript.isLoaded,
    state: () => state,
    close: () => closing.abort(),
  }
}
