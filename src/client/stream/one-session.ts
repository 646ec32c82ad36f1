import { path } from '../path.ts'
import { asStreamEvent, parseObject, type StreamEvent } from '../stream-events.ts'
import type { ResumableStream } from './read-connection.ts'

/** The stream of one session, with its cursor. */
export const oneSession = (sessionId: string, after?: number): ResumableStream<StreamEvent> => {
  let cursor = after

  /** Whether it goes on from the cursor; if so, the cursor moves. */
  const isNew = (seq: number): boolean => {
    if (cursor !== undefined && seq <= cursor) return false
    cursor = seq
    return true
  }

  /** What is not known here is behind us all the same. */
  const pass = (id: string | undefined): undefined => {
    if (cursor !== undefined && id !== undefined && /^\d{1,15}$/.test(id))
      cursor = Math.max(cursor, Number(id))
  }

  return {
    request: () => ({ path: path`sessions/${sessionId}/stream`, lastEventId: cursor?.toString() }),
    accept({ id, data }) {
      const event = asStreamEvent(parseObject(data) ?? {})
      if (!event) return pass(id)
      switch (event.type) {
        case 'snapshot':
          cursor = event.seq
          return event
        case 'resume':
        case 'slow_consumer':
        case 'degraded':
          return event
        default:
          return isNew(event.seq) ? event : undefined
      }
    },
  }
}
