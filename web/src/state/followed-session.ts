import type { StreamEvent } from '../../../src/client/index.ts'
import { apply, fromSnapshot, type Transcript } from '../../../src/transcript/index.ts'

/** A session as it is followed. */
export interface Live {
  /** Absent until the first snapshot is there. */
  readonly transcript?: Transcript
  /** How many runs have ended while it was followed: whoever shows their outcome asks again. */
  readonly ends: number
  /** The session was deleted, or never was. */
  readonly isGone?: true
}

export const notFollowed: Live = { ends: 0 }

/** The session may be there again: its removal can be undone. */
export const withoutEnd = ({ isGone: _, ...live }: Live): Live => live

/** The session after one event of its stream. */
export const advanceLive = (live: Live, event: StreamEvent): Live => {
  if (event.type === 'snapshot') return fromWhole(live, event)
  const { transcript } = live
  if (!('seq' in event) || !transcript || event.seq <= transcript.seq) return live
  const after = { ...live, transcript: apply(transcript, event) }
  return event.type === 'agent_end' ? { ...after, ends: live.ends + 1 } : after
}

/** A snapshot that tells nothing new changes nothing: a page that shows it keeps its place. */
const fromWhole = (live: Live, snapshot: Extract<StreamEvent, { type: 'snapshot' }>): Live => {
  const { transcript } = live
  if (transcript && transcript.seq >= snapshot.seq) return live
  const after = { ...live, transcript: fromSnapshot(snapshot) }
  return transcript?.isStreaming && !snapshot.isStreaming
    ? { ...after, ends: live.ends + 1 }
    : after
}
