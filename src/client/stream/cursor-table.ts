import { formatCursors, parseCursors } from '../../api/cursors.ts'
import type { StampedEvent } from '../../events/types.ts'
import { isSessionEvent, type ManyEvent } from '../stream-events.ts'

/** Ids of sessions, each with the last seq that was seen; undefined where a snapshot is needed. */
export type SessionCursors = ReadonlyMap<string, number | undefined>

/** The sessions that a stream carries, and how far each was read. */
export interface CursorTable {
  /** The ids of the sessions. */
  ids(): string[]
  /** Carries these sessions from now on. Those that stay keep their cursors. */
  replace(next: SessionCursors): void
  /** Drops a session; false when the stream does not carry it. */
  delete(sessionId: string): boolean
  /** Forgets how far a session was read; false when it needs a snapshot anyway. */
  reset(sessionId: string): boolean
  /** Moves the cursor to an event; undefined when it was seen before or is not for this stream. */
  accept(event: ManyEvent): ManyEvent | undefined
  /** Moves past an event that is not recognised: the id of its frame holds all cursors. */
  skip(frameId: string): void
  /** All cursors as a `Last-Event-ID`; undefined when there are none. */
  lastEventId(): string | undefined
}

export const createCursorTable = (initial: SessionCursors): CursorTable => {
  let cursors = new Map(initial)
  return {
    ids: () => [...cursors.keys()],
    replace(next) {
      cursors = new Map([...next].map(([id, seq]) => [id, cursors.get(id) ?? seq]))
    },
    delete: (sessionId) => cursors.delete(sessionId),
    reset(sessionId) {
      if (cursors.get(sessionId) === undefined) return false
      cursors.set(sessionId, undefined)
      return true
    },
    accept(event) {
      if (!isSessionEvent(event)) return event
      const { sessionId, seq } = event
      const cursor = cursors.get(sessionId)
      if (event.type === 'snapshot') {
        if (!cursors.has(sessionId)) return undefined
      } else {
        if (cursor === undefined) return isApproval(event) ? event : undefined
        if (seq <= cursor) return undefined
      }
      cursors.set(sessionId, seq)
      return event
    },
    skip(frameId) {
      for (const [sessionId, seq] of parseCursors(frameId) ?? []) {
        const cursor = cursors.get(sessionId)
        if (cursor !== undefined) cursors.set(sessionId, Math.max(cursor, seq))
      }
    },
    lastEventId() {
      const read = [...cursors].filter(isRead)
      return read.length > 0 ? formatCursors(read) : undefined
    },
  }
}

/** Approvals come from all sessions, everything else only from those that the stream carries. */
const isApproval = ({ type }: StampedEvent): boolean =>
  type === 'approval_request' || type === 'approval_resolved'

const isRead = (entry: [string, number | undefined]): entry is [string, number] =>
  entry[1] !== undefined
