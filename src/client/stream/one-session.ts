import { parseEventCursor } from '../../api/cursors.ts'
import {
  isSessionEvent,
  parseStreamEvent,
  type SessionEvent,
  type StreamEvent,
} from '../stream-events.ts'
import { path } from '../transport.ts'
import { cursorOf, type ReadCursor, recordCursor } from './event-cursor.ts'
import type { ResumableStream } from './read-connection.ts'

/** The stream of one session, with the cursor at the last event that was seen. */
export const oneSession = (sessionId: string, after?: ReadCursor): ResumableStream<StreamEvent> => {
  let cursor = after?.toString()
  /** The seq in the cursor; undefined until a snapshot comes. */
  let seen = cursor === undefined ? undefined : (parseEventCursor(cursor)?.seq ?? 0)

  const moveTo = (event: SessionEvent, id: string | undefined): SessionEvent => {
    recordCursor(event, id)
    seen = event.seq
    cursor = cursorOf(event) ?? `${event.seq}`
    return event
  }

  /** Moves the cursor past an event that is not recognised: its frame id is its cursor. */
  const skip = (id = ''): undefined => {
    const seq = parseEventCursor(id)?.seq
    if (seen === undefined || seq === undefined || seq <= seen) return
    seen = seq
    cursor = id
  }

  return {
    request: () => ({ path: path`sessions/${sessionId}/stream`, lastEventId: cursor }),
    accept({ id, data }) {
      const event = parseStreamEvent(data)
      if (!event) return skip(id)
      if (!isSessionEvent(event)) return event
      const isOld = event.type !== 'snapshot' && seen !== undefined && event.seq <= seen
      return isOld ? undefined : moveTo(event, id)
    },
  }
}
