import type { AgentEvent, StampedEvent } from './types.ts'

/** Gives events their place in a session: one contiguous `seq`, one clock. */
export const createStamp = (sessionId: string, now: () => number, after = 0) => {
  let seq = after
  return (event: AgentEvent): StampedEvent => {
    seq += 1
    return { ...event, sessionId, seq, timestamp: now() }
  }
}
