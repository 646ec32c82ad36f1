import type { Snapshot, StampedEvent } from '../../events/types.ts'
import { ApiError } from '../api-error.ts'
import type { SessionCursors } from '../stream/many-sessions.ts'
import type { StreamState } from '../stream/state.ts'
import type { ManyEvent } from '../stream-events.ts'
import type { Schedule } from './store.ts'
import {
  createTranscriptFold,
  type TranscriptFold,
  type TranscriptOptions,
  type TranscriptStore,
} from './transcript-store.ts'

export interface OpenSessionsOptions {
  /** Of the connection that all share. */
  state(): StreamState
  /** Other sessions are wanted than before. */
  onNames(named: SessionCursors): void
  schedule?: Schedule
}

/** A session that somebody follows. */
interface Open {
  transcript: TranscriptFold
  readers: number
  /** Set when the session is no more. */
  gone?: StreamState
}

/** The transcripts that one connection feeds: each is there as long as somebody follows it. */
export const createOpenSessions = ({ state, onNames, schedule }: OpenSessionsOptions) => {
  const open = new Map<string, Open>()

  const namesChanged = () =>
    onNames(new Map([...open].map(([id, { transcript }]) => [id, cursorOf(transcript)])))

  const enter = (sessionId: string, options: TranscriptOptions): Open => {
    const entered = { transcript: createTranscriptFold(sessionId, options), readers: 0 }
    open.set(sessionId, entered)
    namesChanged()
    return entered
  }

  const leave = (sessionId: string, left: Open) => {
    left.readers -= 1
    if (left.readers > 0 || open.get(sessionId) !== left) return
    open.delete(sessionId)
    namesChanged()
  }

  const remove = (sessionId: string, error: ApiError) => {
    const removed = open.get(sessionId)
    if (!removed) return
    open.delete(sessionId)
    removed.gone = { status: 'stopped', error }
    removed.transcript.changed()
  }

  return {
    /** There is no such session, or none any more. */
    remove,
    follow(sessionId: string, options: Pick<TranscriptOptions, 'from'> = {}): TranscriptStore {
      const mine =
        open.get(sessionId) ?? enter(sessionId, { ...options, ...(schedule && { schedule }) })
      mine.readers += 1
      let isClosed = false
      return {
        sessionId,
        get: mine.transcript.get,
        subscribe: mine.transcript.subscribe,
        isLoaded: mine.transcript.isLoaded,
        state: () => (isClosed ? closed : (mine.gone ?? state())),
        close() {
          if (!isClosed) leave(sessionId, mine)
          isClosed = true
        },
      }
    },
    /** Gives each transcript what is its own. */
    take(events: readonly ManyEvent[]): void {
      const bySession = Map.groupBy(events.filter(isOfSession), ({ sessionId }) => sessionId)
      for (const [sessionId, own] of bySession) open.get(sessionId)?.transcript.accept(own)
      for (const event of events)
        if (event.type === 'session_removed') remove(event.sessionId, goneError())
    },
    stateChanged(): void {
      for (const { transcript } of open.values()) transcript.changed()
    },
  }
}

const isOfSession = (event: ManyEvent): event is StampedEvent | Snapshot =>
  'seq' in event && 'sessionId' in event

const closed: StreamState = { status: 'stopped' }

const goneError = () =>
  new ApiError({ status: 410, code: 'gone', detail: 'The session was removed.' })

const cursorOf = (transcript: TranscriptFold): number | undefined =>
  transcript.isLoaded() ? transcript.get().seq : undefined
