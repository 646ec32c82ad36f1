import { formatCursors, parseCursors } from '../../api/cursors.ts'
import type { Snapshot, StampedEvent } from '../../events/types.ts'
import type { ApiError } from '../api-error.ts'
import { asManyEvent, type ManyEvent, parseObject } from '../stream-events.ts'
import type { ResumableStream } from './read-connection.ts'

/** Which sessions a stream carries, and how far each was seen where that is known. */
export type SessionCursors = ReadonlyMap<string, number | undefined>

export interface ManySessions extends ResumableStream<ManyEvent> {
  restart(): AbortSignal
  /** Carries these from now on; those that stay go on from their cursors. */
  setSessions(named: SessionCursors): void
}

/** The stream of several sessions and of what concerns all of them, with a cursor for each. */
export const manySessions = (
  start: SessionCursors,
  onRefused: (sessionId: string, refusal: ApiError) => void = () => {},
): ManySessions => {
  let cursors = new Map(start)
  let restart = new AbortController()
  /** What the connection was opened for. */
  let opened = new Set<string>()
  let isDue = false

  const snapshot = (event: Snapshot): ManyEvent | undefined => {
    if (!cursors.has(event.sessionId)) return undefined
    cursors.set(event.sessionId, event.seq)
    return event
  }

  /** Approvals come from all sessions; everything else only from those that were named. */
  const stamped = (event: StampedEvent): ManyEvent | undefined => {
    const { sessionId, seq } = event
    const cursor = cursors.get(sessionId)
    if (cursor === undefined) return isApproval(event) ? event : undefined
    if (seq <= cursor) return undefined
    cursors.set(sessionId, seq)
    return event
  }

  /** What is not known here is behind us all the same. */
  const pass = (id: string | undefined): undefined => {
    for (const [sessionId, seq] of parseCursors(id ?? '') ?? []) {
      const cursor = cursors.get(sessionId)
      if (cursor !== undefined) cursors.set(sessionId, Math.max(cursor, seq))
    }
  }

  const drop = (sessionId: string): boolean => {
    opened.delete(sessionId)
    return cursors.delete(sessionId)
  }

  /** Once for all that is wanted together: each time costs a connection. */
  const openAnew = () => {
    isDue = false
    if (isSame(opened, cursors)) return
    restart.abort()
    restart = new AbortController()
  }

  return {
    request() {
      opened = new Set(cursors.keys())
      const known = [...cursors].flatMap(([id, seq]) =>
        seq === undefined ? [] : [[id, seq] as const],
      )
      return {
        path: 'stream',
        query: { sessions: cursors.size > 0 ? [...cursors.keys()].join(',') : undefined },
        lastEventId: known.length > 0 ? formatCursors(known) : undefined,
      }
    },
    restart: () => restart.signal,
    accept({ id, data }) {
      const event = asManyEvent(parseObject(data) ?? {})
      if (!event) return pass(id)
      switch (event.type) {
        case 'snapshot':
          return snapshot(event)
        case 'session_removed':
          drop(event.sessionId)
          return event
        case 'resume':
        case 'slow_consumer':
        case 'degraded':
        case 'overview':
        case 'session_created':
        case 'session_updated':
        case 'totals':
          return event
        default:
          return stamped(event)
      }
    },
    /** One session that is not there is no reason to lose the others. */
    skipRefused(refusal) {
      const sessionId = refusal.problem?.sessionId
      if (sessionId === undefined || !drop(sessionId)) return false
      onRefused(sessionId, refusal)
      return true
    },
    setSessions(named) {
      cursors = new Map([...named].map(([id, seq]) => [id, cursors.get(id) ?? seq]))
      if (!isDue) queueMicrotask(openAnew)
      isDue = true
    },
  }
}

const isApproval = ({ type }: StampedEvent): boolean =>
  type === 'approval_request' || type === 'approval_resolved'

const isSame = (opened: ReadonlySet<string>, cursors: ReadonlyMap<string, unknown>): boolean =>
  opened.size === cursors.size && [...cursors.keys()].every((id) => opened.has(id))
