import type { StampedEvent } from '../events/types.ts'
import { LogFault } from './log-fault.ts'

/** The events of one append, already serialised: the caller can no longer change them. */
export interface EventBatch {
  /** The seq of the first event; 0 when there is none. */
  first: number
  /** The JSON of each event. */
  texts: readonly string[]
  /** The length of all texts together. */
  length: number
}

/** Serialises the events of one append. Throws `foreign_event`, `gap` or `repeat`. */
export const serializeEvents = (sessionId: string, events: readonly StampedEvent[]): EventBatch => {
  const first = events[0]?.seq ?? 0
  const texts: string[] = []
  let length = 0
  for (const event of events) {
    if (event.sessionId !== sessionId) throw foreignEvent(sessionId, event)
    checkNextSeq(sessionId, first + texts.length, event.seq)
    const text = JSON.stringify(event)
    texts.push(text)
    length += text.length
  }
  return { first, texts, length }
}

/** Throws `gap` or `repeat` when `seq` is not the one expected next. */
export const checkNextSeq = (sessionId: string, expected: number, seq: number): void => {
  if (seq === expected) return
  throw new LogFault(
    seq < expected ? 'repeat' : 'gap',
    `The next event of session ${sessionId} must have seq ${expected}, but has ${seq}.`,
  )
}

const foreignEvent = (sessionId: string, event: StampedEvent): LogFault =>
  new LogFault(
    'foreign_event',
    `Event ${event.seq} belongs to session ${event.sessionId} and cannot be appended to session ${sessionId}.`,
  )
