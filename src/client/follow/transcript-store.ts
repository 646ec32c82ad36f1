import { apply } from '../../transcript/apply.ts'
import { fromSnapshot } from '../../transcript/from-snapshot.ts'
import { emptyTranscript, type Transcript } from '../../transcript/transcript.ts'
import type { StreamState } from '../stream/state.ts'
import type { StreamEvent } from '../stream-events.ts'
import { createListeners, type Schedule, type Store } from './store.ts'

/** What a reader of a session sees, as it grows. An entry that did not change is the same object. */
export interface TranscriptStore extends Store<Transcript> {
  readonly sessionId: string
  /** How the connection stands; `subscribe` tells of its changes too. */
  state(): StreamState
  /** Whether the session has been heard of: until then the transcript is empty. */
  isLoaded(): boolean
  /** Follows no longer. What is there stays. */
  close(): void
}

export interface TranscriptOptions {
  /** A transcript of this session to go on from, so that only what it lacks is asked for. */
  from?: Transcript
  /** When subscribers are told; in a microtask unless told otherwise. */
  schedule?: Schedule
  /** Sees every event as it comes. */
  onEvents?(events: readonly StreamEvent[]): void
}

/** A transcript that events are put into. */
export const createTranscriptFold = (sessionId: string, options: TranscriptOptions = {}) => {
  const { from, schedule, onEvents } = options
  const listeners = createListeners(schedule)
  let transcript = from ?? emptyTranscript(sessionId)
  let isLoaded = from !== undefined
  return {
    ...listeners,
    get: (): Transcript => transcript,
    isLoaded: (): boolean => isLoaded,
    accept(events: readonly StreamEvent[]): void {
      const before = transcript
      const wasLoaded = isLoaded
      for (const event of events) {
        isLoaded ||= event.type === 'snapshot'
        // Without what came before, an event means nothing.
        if (isLoaded) transcript = folded(transcript, event)
      }
      onEvents?.(events)
      if (transcript !== before || isLoaded !== wasLoaded) listeners.changed()
    },
  }
}
export type TranscriptFold = ReturnType<typeof createTranscriptFold>

const folded = (transcript: Transcript, event: StreamEvent): Transcript => {
  switch (event.type) {
    case 'snapshot':
      return fromSnapshot(event)
    case 'resume':
    case 'slow_consumer':
    case 'degraded':
      return transcript
    default:
      return apply(transcript, event)
  }
}
