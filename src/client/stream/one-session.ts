import { parseStreamEvent, type StreamEvent } from '../stream-events.ts'
import { path } from '../transport.ts'
import type { ResumableStream } from './read-connection.ts'

/** The stream of one session, with its cursor: the last seq that was seen. */
export const oneSession = (sessionId: string, after?: number): ResumableStream<StreamEvent> => {
  let cursor = after

  /** Moves the cursor to an event; false when the event was seen before. */
  const advance = (seq: number): boolean => {
    if (cursor !== undefined && seq <= cursor) return false
    cursor = seq
    return true
  }

  /** Moves the cursor past an event that is not recognised: its frame id is its seq. */
  const skip = (id: string | undefined): undefined => {
    if (cursor !== undefined && id !== undefined && /^\d{1,15}$/.test(id))
      cursor = Math.max(cursor, Number(id))
  }

  return {
    request: () => ({ path: path`sessions/${sessionId}/stream`, lastEventId: cursor?.toString() }),
    accept({ id, data }) {
      const event = parseStreamEvent(data)
      if (!event) return skip(id)
      switch (event.type) {
        case 'snapshot':
          cursor = event.seq
          return event
        case 'resume':
        case 'slow_consumer':
        case 'degraded':
        case 'recovered':
          return event
        default:
          return advance(event.seq) ? event : undefined
      }
    },
  }
}
