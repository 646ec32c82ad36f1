import { applyEvent } from '../../transcript/apply.ts'
import { fromSnapshot } from '../../transcript/from-snapshot.ts'
import { emptyTranscript, type Transcript } from '../../transcript/transcript.ts'
import { cursorOf } from '../stream/event-cursor.ts'
import type { StreamState } from '../stream/read-stream.ts'
import { isSessionEvent, type StreamEvent } from '../stream-events.ts'
import { createListeners, type Listeners, type Schedule, type Store } from './store.ts'

/** The transcript of a session, as it grows. An entry that did not change is the same object. */
export interface TranscriptStore extends Store<Transcript> {
  readonly sessionId: string
  /** Returns the state of the connection; listeners run when it changes, too. */
  state(): StreamState
  /** Whether the first snapshot has arrived: until then the transcript is empty. */
  isLoaded(): boolean
  /** Returns the cursor of the transcript, to continue from it later; undefined if it has none. */
  cursor(): string | undefined
  /** Stops following the session. The transcript stays as it is. */
  close(): void
}

export interface TranscriptOptions {
  /** A transcript of this session to continue from: only newer events are requested. */
  from?: Transcript
  /** The cursor of `from`. Without it, the server cannot check whether its log still has `from`. */
  cursor?: string
  /** When listeners run. Default: in a microtask. */
  schedule?: Schedule
  /** Receives all events as they arrive. */
  onEvents?(events: readonly StreamEvent[]): void
}

/** A transcript that is built from events. */
export interface TranscriptFold extends Store<Transcript>, Listeners {
  isLoaded(): boolean
  cursor(): string | undefined
  /** Applies events in order; those before the first snapshot are ignored. */
  accept(events: readonly StreamEvent[]): void
}

export const createTranscriptFold = (
  sessionId: string,
  { from, cursor: fromCursor, schedule, onEvents }: TranscriptOptions = {},
): TranscriptFold => {
  const listeners = createListeners(schedule)
  let transcript = from ?? emptyTranscript(sessionId)
  let isLoaded = from !== undefined
  let cursor = fromCursor
  return {
    ...listeners,
    get: () => transcript,
    isLoaded: () => isLoaded,
    cursor: () => cursor,
    accept(events) {
      const before = transcript
      const wasLoaded = isLoaded
      for (const event of events) {
        isLoaded ||= event.type === 'snapshot'
        if (!isLoaded) continue
        transcript = fold(transcript, event)
        if (isSessionEvent(event)) cursor = cursorOf(event)
      }
      onEvents?.(events)
      if (transcript !== before || isLoaded !== wasLoaded) listeners.changed()
    },
  }
}

const fold = (transcript: Transcript, event: StreamEvent): Transcript => {
  if (event.type === 'snapshot') return fromSnapshot(event)
  return isSessionEvent(event) ? applyEvent(transcript, event) : transcript
}
