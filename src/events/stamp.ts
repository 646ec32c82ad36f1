import type { AgentEvent, StampedEvent } from './types.ts'

/** Creates a function that adds the envelope to events: the next `seq`, and the time. */
export const createStamp = (
  sessionId: string,
  now: () => number,
  after = 0,
): ((event: AgentEvent) => StampedEvent) => {
  let seq = after
  return (event) => {
    seq += 1
    return { ...event, sessionId, seq, timestamp: now() }
  }
}
