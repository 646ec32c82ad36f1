import { formatCursors, parseCursors, parseEventCursor } from '../../api/cursors.ts'
import type { StampedEvent } from '../../events/types.ts'
import { isSessionEvent, type ManyEvent } from '../stream-events.ts'
import { cursorOf, type ReadCursor, recordCursor } from './event-cursor.ts'

/** Ids of sessions, each with a cursor; undefined where a snapshot is needed. */
export type SessionCursors = ReadonlyMap<string, ReadCursor | undefined>

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
  accept(event: ManyEvent, frameId?: string): ManyEvent | undefined
  /** Moves past an event that is not recognised: the id of its frame holds all cursors. */
  skip(frameId: string): void
  /** All cursors as a `Last-Event-ID`; undefined when there are none. */
  lastEventId(): string | undefined
}

/** How far a session was read. */
interface Progress {
  /** The seq of the last event. */
  seq: number
  /** The newest cursor. It may be older than `seq`: not every frame has an id. */
  cursor: string
}

export const createCursorTable = (initial: SessionCursors): CursorTable => {
  let sessions = new Map([...initial].map(([id, cursor]) => [id, progressAt(cursor)]))
  /** The newest id, with the cursors of all sessions. They are read only when they are needed. */
  let lastId = ''

  const readLastId = () => {
    for (const [id, cursor] of parseCursors(lastId) ?? []) {
      const progress = sessions.get(id)
      if (!progress) continue
      progress.cursor = cursor
      progress.seq = Math.max(progress.seq, parseEventCursor(cursor)?.seq ?? 0)
    }
    lastId = ''
  }

  return {
    ids: () => [...sessions.keys()],
    replace(next) {
      readLastId()
      sessions = new Map(
        [...next].map(([id, cursor]) => [id, sessions.get(id) ?? progressAt(cursor)]),
      )
    },
    delete: (sessionId) => sessions.delete(sessionId),
    reset(sessionId) {
      readLastId()
      if (sessions.get(sessionId) === undefined) return false
      sessions.set(sessionId, undefined)
      return true
    },
    accept(event, frameId = '') {
      lastId = frameId || lastId
      if (!isSessionEvent(event)) return event
      const { sessionId, seq } = event
      const progress = sessions.get(sessionId)
      if (event.type === 'snapshot') {
        if (!sessions.has(sessionId)) return undefined
      } else {
        if (progress === undefined) return isApproval(event) ? event : undefined
        if (seq <= progress.seq) return undefined
      }
      recordCursor(event, cursorIn(frameId, sessionId))
      const cursor = cursorOf(event) ?? progress?.cursor ?? `${seq}`
      sessions.set(sessionId, { seq, cursor })
      return event
    },
    skip(frameId) {
      lastId = frameId || lastId
      readLastId()
    },
    lastEventId() {
      readLastId()
      const read = [...sessions].flatMap(([id, progress]) =>
        progress ? [[id, progress.cursor] as const] : [],
      )
      return read.length > 0 ? formatCursors(read) : undefined
    },
  }
}

const progressAt = (cursor: ReadCursor | undefined): Progress | undefined => {
  if (cursor === undefined) return undefined
  const text = cursor.toString()
  return { seq: parseEventCursor(text)?.seq ?? 0, cursor: text }
}

/** The cursor of one session in an id. */
const cursorIn = (id: string, sessionId: string): string | undefined => {
  const start = `,${id}`.lastIndexOf(`,${sessionId}:`)
  return start === -1 ? undefined : id.slice(start + sessionId.length + 1).split(',', 1)[0]
}

/** Approvals come from all sessions, everything else only from those that the stream carries. */
const isApproval = ({ type }: StampedEvent): boolean =>
  type === 'approval_request' || type === 'approval_resolved'
