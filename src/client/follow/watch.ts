import { ApiError } from '../api-error.ts'
import { manySessions, type SessionSelection } from '../stream/many-sessions.ts'
import { readStream, type StreamOptions, type StreamState } from '../stream/read-stream.ts'
import { isSessionEvent, type ManyEvent, type SessionEvent } from '../stream-events.ts'
import type { Transport } from '../transport.ts'
import { emptyOverview, type Overview, overviewAfter } from './overview.ts'
import { pump } from './pump.ts'
import { createListeners, type Schedule, type Store } from './store.ts'

/** The overview of all sessions, and the events of some of them, over one connection. */
export interface Watch {
  /** All sessions, pending approvals and totals. */
  readonly overview: Store<Overview>
  /** Receives the events of these sessions from now on: reconnects, and those that stay continue. */
  setSessions(sessions: SessionSelection): void
  /** Requests a new snapshot of a session, unless one is on its way. */
  refresh(sessionId: string): void
  /** Returns the state of the connection. */
  state(): StreamState
  /** Runs the listener when the state of the connection changes; returns its undo. */
  subscribe(listener: () => void): () => void
  /** Closes the connection. The overview stays as it is. */
  close(): void
}

export interface WatchOptions extends StreamOptions {
  /** When listeners run. Default: in a microtask. */
  schedule?: Schedule
  /** Receives all events as they arrive. */
  onEvents?(events: readonly ManyEvent[]): void
  /**
   * Receives the events of one session, in order. Approvals come from all sessions, so one may come
   * before the snapshot of its session.
   */
  onSessionEvents?(sessionId: string, events: readonly SessionEvent[]): void
  /** The session was deleted or does not exist. The connection no longer carries it. */
  onGone?(sessionId: string, error: ApiError): void
}

/** Passes events on by session, without building transcripts. */
export const watch = (transport: Transport, options: WatchOptions = {}): Watch => {
  const { signal, schedule, onState, onEvents, onSessionEvents, onGone, ...rest } = options
  const closing = new AbortController()
  const stateListeners = createListeners(schedule)
  const overviewListeners = createListeners(schedule)
  const stream = manySessions([], onGone)
  let state: StreamState = { status: 'connecting', attempt: 0 }
  let overview = emptyOverview

  const setState = (next: StreamState) => {
    state = next
    stateListeners.changed()
    onState?.(next)
  }

  const accept = (events: readonly ManyEvent[]) => {
    const before = overview
    overview = events.reduce(overviewAfter, overview)
    if (overview !== before) overviewListeners.changed()
    if (onSessionEvents) {
      const bySession = Map.groupBy(events.filter(isSessionEvent), ({ sessionId }) => sessionId)
      for (const [sessionId, own] of bySession) onSessionEvents(sessionId, own)
    }
    for (const event of events)
      if (event.type === 'session_removed') onGone?.(event.sessionId, deletedError())
    onEvents?.(events)
  }

  const batches = readStream(transport, stream, {
    ...rest,
    signal: signal ? AbortSignal.any([signal, closing.signal]) : closing.signal,
    onState: setState,
  })
  // The first connection carries the sessions that are set in the same tick.
  queueMicrotask(() => void pump(batches, accept, setState))

  return {
    overview: { get: () => overview, subscribe: overviewListeners.subscribe },
    setSessions: stream.setSessions,
    refresh: stream.refresh,
    state: () => state,
    subscribe: stateListeners.subscribe,
    close: () => closing.abort(),
  }
}

const deletedError = () =>
  new ApiError({ status: 410, code: 'gone', detail: 'The session was deleted.' })
