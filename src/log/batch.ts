import type { StampedEvent } from '../events/types.ts'
import { LogFault } from './log-fault.ts'

/** Events on their way into a log: serialised once, at once, so that nobody changes them. */
export interface Batch {
  first: number
  texts: readonly string[]
  /** Of all texts together. */
  length: number
}

/** Serialises events that follow one another in one session. */
export const batchOf = (sessionId: string, events: readonly StampedEvent[]): Batch => {
  const first = events[0]?.seq ?? 0
  const texts: string[] = []
  let length = 0
  for (const event of events) {
    if (event.sessionId !== sessionId) throw foreignEvent(sessionId, event)
    checkNext(sessionId, first + texts.length, event.seq)
    const text = JSON.stringify(event)
    texts.push(text)
    length += text.length
  }
  return { first, texts, length }
}

/** Refuses an event that is not the one expected next. */
export const checkNext = (sessionId: string, expected: number, seq: number): void => {
  if (seq === expected) return
  const code = seq < expected ? 'repeat' : 'gap'
  throw new LogFault(code, `Session ${sessionId} goes on with event ${expected}, not with ${seq}.`)
}

const foreignEvent = (sessionId: string, event: StampedEvent): LogFault =>
  new LogFault(
    'foreign_event',
    `Event ${event.seq} of session ${event.sessionId} was appended to session ${sessionId}.`,
  )
