import type { SessionEvent } from '../../../src/client/index.ts'
import type { Snapshot } from '../../../src/events/index.ts'
import { applyEvent, fromSnapshot, type Transcript } from '../../../src/transcript/index.ts'

/** A session that the page follows. */
export interface FollowedSession {
  /** Absent until the first snapshot arrives. */
  readonly transcript?: Transcript
  /** How many runs have ended so far: panels load again what a run changes. */
  readonly endedRuns: number
  /** The session was deleted or does not exist. */
  readonly isGone?: true
}

export const notFollowed: FollowedSession = { endedRuns: 0 }

/** The session without `isGone`; the same object when it is not gone. */
export const restored = (session: FollowedSession): FollowedSession => {
  if (!session.isGone) return session
  const { isGone, ...rest } = session
  return rest
}

/** The session after one event; the same object when the event was applied before. */
export const advanceSession = (session: FollowedSession, event: SessionEvent): FollowedSession => {
  if (event.type === 'snapshot') return withSnapshot(session, event)
  const { transcript } = session
  if (!transcript || event.seq <= transcript.seq) return session
  const after = { ...session, transcript: applyEvent(transcript, event) }
  return event.type === 'agent_end' ? { ...after, endedRuns: session.endedRuns + 1 } : after
}

/** A snapshot that has nothing new changes nothing, so that the page keeps its scroll position. */
const withSnapshot = (session: FollowedSession, snapshot: Snapshot): FollowedSession => {
  const { transcript } = session
  if (transcript && transcript.seq >= snapshot.seq) return session
  const after = { ...session, transcript: fromSnapshot(snapshot) }
  return transcript?.isStreaming && !snapshot.isStreaming
    ? { ...after, endedRuns: session.endedRuns + 1 }
    : after
}
