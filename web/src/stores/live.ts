import type { StreamEvent } from '../../../src/client/index.ts'
import { apply, fromSnapshot, type Transcript } from '../../../src/transcript/index.ts'

/** A session as it is followed. */
export interface Live {
  /** Absent until the first snapshot is there. */
  readonly transcript?: Transcript
  /** What the agent program says that it is doing, such as how far a stop has come. */
  readonly status?: string
  /** How much the model may think, where the agent has told it since the page was opened. */
  readonly thinkingLevel?: string
  /** How many runs have ended while it was followed: whoever shows their outcome asks again. */
  readonly ends: number
  /** The session was deleted, or never was. */
  readonly isGone?: true
}

export const notFollowed: Live = { ends: 0 }

/** The session after one event of its stream. */
export const advanceLive = (live: Live, event: StreamEvent): Live => {
  if (event.type === 'snapshot') return fromWhole(live, event)
  const { transcript } = live
  if (!('seq' in event) || !transcript || event.seq <= transcript.seq) return live
  const after = { ...live, transcript: apply(transcript, event) }
  switch (event.type) {
    case 'agent_end':
      return { ...without(after), ends: live.ends + 1 }
    case 'session_update':
      return withAside(after, event)
    default:
      return after
  }
}

/** A snapshot that tells nothing new changes nothing: a page that shows it keeps its place. */
const fromWhole = (live: Live, snapshot: Extract<StreamEvent, { type: 'snapshot' }>): Live => {
  const { transcript } = live
  if (transcript && transcript.seq >= snapshot.seq) return live
  const after = { ...live, transcript: fromSnapshot(snapshot) }
  return transcript?.isStreaming && !snapshot.isStreaming
    ? { ...without(after), ends: live.ends + 1 }
    : after
}

const withAside = (live: Live, event: Extract<StreamEvent, { type: 'session_update' }>): Live => {
  const { status, thinkingLevel } = event
  return {
    ...live,
    ...(status !== undefined && { status }),
    ...(thinkingLevel !== undefined && { thinkingLevel }),
  }
}

const without = ({ status, ...live }: Live): Live => live
