import { manySessions } from '../stream/many-sessions.ts'
import { readStream, type StreamOptions } from '../stream/read-stream.ts'
import type { StreamState } from '../stream/state.ts'
import type { ManyEvent } from '../stream-events.ts'
import type { Transport } from '../transport.ts'
import { createOpenSessions } from './open-sessions.ts'
import { emptyOverview, type Overview, overviewAfter } from './overview.ts'
import { pump } from './pump.ts'
import { createListeners, type Schedule, type Store } from './store.ts'
import type { TranscriptOptions, TranscriptStore } from './transcript-store.ts'

/** All sessions over one connection: an overview of them, and the transcripts that are wanted. */
export interface Following {
  readonly overview: Store<Overview>
  /**
   * Follows one of them. Whoever follows the same one shares the transcript, until all have closed it.
   * The connection is opened anew for it, and the others go on from their cursors.
   */
  follow(sessionId: string, options?: Pick<TranscriptOptions, 'from'>): TranscriptStore
  /** How the connection stands; `subscribe` tells of its changes. */
  state(): StreamState
  subscribe(listener: () => void): () => void
  /** Follows nothing any more. What is there stays. */
  close(): void
}

export interface FollowAllOptions extends Omit<StreamOptions, 'onState'> {
  /** When subscribers are told; in a microtask unless told otherwise. */
  schedule?: Schedule
  /** Sees every event as it comes. */
  onEvents?(events: readonly ManyEvent[]): void
}

export const followAll = (
  transport: Transport,
  { signal, silenceMs, schedule, onEvents }: FollowAllOptions = {},
): Following => {
  const closing = new AbortController()
  const stateListeners = createListeners(schedule)
  const overviewListeners = createListeners(schedule)
  const stream = manySessions(new Map(), (sessionId, refusal) =>
    sessions.remove(sessionId, refusal),
  )
  let state: StreamState = { status: 'connecting', attempt: 0 }
  let overview = emptyOverview

  const sessions = createOpenSessions({
    state: () => state,
    onNames: stream.setSessions,
    ...(schedule && { schedule }),
  })

  const take = (events: readonly ManyEvent[]) => {
    const before = overview
    overview = events.reduce(overviewAfter, overview)
    if (overview !== before) overviewListeners.changed()
    sessions.take(events)
    onEvents?.(events)
  }
  const onState = (now: StreamState) => {
    state = now
    stateListeners.changed()
    sessions.stateChanged()
  }

  const batches = readStream(transport, stream, {
    signal: signal ? AbortSignal.any([signal, closing.signal]) : closing.signal,
    onState,
    ...(silenceMs !== undefined && { silenceMs }),
  })
  // What is followed in the same breath is named from the start.
  queueMicrotask(() => void pump(batches, take, onState))

  return {
    overview: { get: () => overview, subscribe: overviewListeners.subscribe },
    follow: sessions.follow,
    state: () => state,
    subscribe: stateListeners.subscribe,
    close: () => closing.abort(),
  }
}
