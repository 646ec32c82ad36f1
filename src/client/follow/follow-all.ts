import type { ReadCursor } from '../stream/event-cursor.ts'
import type { StreamState } from '../stream/read-stream.ts'
import type { Transport } from '../transport.ts'
import {
  createTranscriptFold,
  type TranscriptFold,
  type TranscriptOptions,
  type TranscriptStore,
} from './transcript-store.ts'
import { type Watch, type WatchOptions, watch } from './watch.ts'

/** All sessions over one connection: the overview, and the transcripts of those that are followed. */
export interface Following extends Pick<Watch, 'overview' | 'state' | 'subscribe' | 'close'> {
  /**
   * Follows one session. All followers of a session share its transcript, until each has closed it.
   * The first one reconnects the stream; the other sessions continue from their cursors.
   */
  follow(sessionId: string, options?: Pick<TranscriptOptions, 'from' | 'cursor'>): TranscriptStore
}

export type FollowAllOptions = Pick<WatchOptions, 'signal' | 'silenceMs' | 'schedule' | 'onEvents'>

/** A session that is followed. */
interface FollowedTranscript {
  readonly transcript: TranscriptFold
  followers: number
  /** Set when the session was deleted or does not exist. */
  end?: StreamState
}

export const followAll = (transport: Transport, options: FollowAllOptions = {}): Following => {
  const followed = new Map<string, FollowedTranscript>()
  const {
    setSessions,
    refresh: _,
    ...watching
  } = watch(transport, {
    ...options,
    onSessionEvents: (sessionId, events) => followed.get(sessionId)?.transcript.accept(events),
    onGone(sessionId, error) {
      const gone = followed.get(sessionId)
      if (!gone) return
      followed.delete(sessionId)
      gone.end = { status: 'stopped', error }
      gone.transcript.changed()
    },
    onState() {
      for (const { transcript } of followed.values()) transcript.changed()
    },
  })

  const updateSessions = () =>
    setSessions(new Map([...followed].map(([id, { transcript }]) => [id, resumePoint(transcript)])))

  const open = (sessionId: string, from: TranscriptOptions): FollowedTranscript => {
    const { schedule } = options
    const transcript = createTranscriptFold(sessionId, { ...from, ...(schedule && { schedule }) })
    const opened = { transcript, followers: 0 }
    followed.set(sessionId, opened)
    updateSessions()
    return opened
  }

  const release = (sessionId: string, released: FollowedTranscript) => {
    released.followers -= 1
    if (released.followers > 0 || followed.get(sessionId) !== released) return
    followed.delete(sessionId)
    updateSessions()
  }

  return {
    ...watching,
    follow(sessionId, from = {}) {
      const own = followed.get(sessionId) ?? open(sessionId, from)
      own.followers += 1
      let isClosed = false
      return {
        sessionId,
        get: own.transcript.get,
        subscribe: own.transcript.subscribe,
        isLoaded: own.transcript.isLoaded,
        cursor: own.transcript.cursor,
        state: () => (isClosed ? closed : (own.end ?? watching.state())),
        close() {
          if (!isClosed) release(sessionId, own)
          isClosed = true
        },
      }
    },
  }
}

const closed: StreamState = { status: 'stopped' }

const resumePoint = (transcript: TranscriptFold): ReadCursor | undefined =>
  transcript.isLoaded() ? (transcript.cursor() ?? transcript.get().seq) : undefined
