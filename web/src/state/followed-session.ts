import type { StreamEvent } from '../../../src/client/index.ts'
import { apply, fromSnapshot, type Transcript } from '../../../src/transcript/index.ts'

/** A session as it is followed. */
export interface FollowedSession {
  /** Absent until the first snapshot is there. */
  readonly transcript?: Transcript
  /** How many runs have ended while it was followed: whoever shows their outcome asks again. */
  readonly endedRuns: number
  /** The session was deleted, or never was. */
  readonly isGone?: true
}

export const notFollowed: FollowedSession = { endedRuns: 0 }

/** The session may be there again: its removal can be undone. */
export const restored = ({ isGone: _, ...session }: FollowedSession): FollowedSession => session

/** The session after one event of its stream. */
export const advanceSession = (session: FollowedSession, event: StreamEvent): FollowedSession => {
  if (event.type === 'snapshot') return fromWhole(session, event)
  const { transcript } = session
  if (!('seq' in event) || !transcript || event.seq <= transcript.seq) return session
  const after = { ...session, transcript: apply(transcript, event) }
  return event.type === 'agent_end' ? { ...after, endedRuns: session.endedRuns + 1 } : after
}

/** A snapshot that tells nothing new changes nothing: a page that shows it keeps its place. */
const fromWhole = (
  session: FollowedSession,
  snapshot: Extract<StreamEvent, { type: 'snapshot' }>,
): FollowedSession => {
  const { transcript } = session
  if (transcript && transcript.seq >= snapshot.seq) return session
  const after = { ...session, transcript: fromSnapshot(snapshot) }
  return transcript?.isStreaming && !snapshot.isStreaming
    ? { ...after, endedRuns: session.endedRuns + 1 }
    : after
}
