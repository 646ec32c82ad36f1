import { type EventCursor, parseCursors, parseEventCursor } from '../../api/cursors.ts'
import type { SessionDamagedEvent } from '../../events/types.ts'
import { damagedEvent } from '../../log/damage.ts'
import type { Log } from '../../log/log.ts'
import type { SessionFeed } from '../fan-out/feed-registry.ts'
import { noticeOf } from '../fan-out/frame.ts'
import { resumeAt } from '../log-cursor.ts'
import type { OpeningSnapshot } from '../snapshots/live-transcript.ts'
import type { IncomingStreamRequest } from '../streams.ts'
import { acceptsGzip, deflateAhead } from './encoding.ts'

/**
 * Where a stream starts in one session: what the client gets before the events. Both kinds of
 * stream read the cursor of the request here and find their start with it.
 */
export interface StreamStart {
  /** The frame that says whether the client’s cursor could be resumed. */
  verdict?: string
  /** The snapshot to send, unless the cursor could be resumed. */
  snapshot?: OpeningSnapshot
  /** The frame that says that the session is damaged. */
  damage?: string
  /** The seq of the last event that the client has then: the events after it follow. */
  seq: number
  /** The cursor at that event. */
  id: string
}

/** The cursor that a client sent; `unreadable` if it sent something else. */
export type SentCursor = EventCursor | 'unreadable'

/** Finds the start for a cursor, or for a client without one. `about` goes into the verdict. */
export const findStart = async (
  feed: SessionFeed,
  cursor: SentCursor | undefined,
  log: Pick<Log, 'checksumAt' | 'damage'>,
  about: { sessionId?: string } = {},
): Promise<StreamStart> => {
  const start = await positionOf(feed, cursor, log, about)
  // Afterwards: making the snapshot reads the events.
  const damage = damageOf(feed.sessionId, log)
  return { ...start, ...(damage && { damage: noticeOf(damage) }) }
}

/** What is damaged of a session, as an event. */
const damageOf = (sessionId: string, log: Pick<Log, 'damage'>): SessionDamagedEvent | undefined => {
  const found = log.damage.list().find(({ kind, id }) => kind === 'session' && id === sessionId)
  return found && damagedEvent(sessionId, found)
}

const positionOf = async (
  feed: SessionFeed,
  cursor: SentCursor | undefined,
  log: Pick<Log, 'checksumAt'>,
  about: { sessionId?: string },
): Promise<StreamStart> => {
  const verdictOf = (verdict: 'ok' | 'gap', after: number) =>
    noticeOf({ type: 'resume', verdict, after, ...about })
  const sent = cursor === 'unreadable' ? undefined : cursor
  const resumed = sent && (await resumeAt(log, feed.sessionId, sent))
  if (sent && resumed !== undefined)
    return { verdict: verdictOf('ok', sent.seq), seq: sent.seq, id: resumed }
  const snapshot = await feed.transcript.opening()
  const { seq, id } = snapshot
  if (cursor === undefined) return { snapshot, seq, id }
  return { verdict: verdictOf('gap', sent?.seq ?? 0), snapshot, seq, id }
}

/** Compresses large snapshots before they are sent, if the client accepts gzip. */
export const compressSnapshots = async (
  starts: readonly StreamStart[],
  { request }: IncomingStreamRequest,
): Promise<void> => {
  if (!acceptsGzip(request.headers['accept-encoding'])) return
  await Promise.all(starts.map(({ snapshot }) => snapshot && deflateAhead(snapshot.line)))
}

/** The cursor of a request for one session; undefined if it has none. */
export const sentCursor = (request: IncomingStreamRequest): SentCursor | undefined => {
  const text = cursorText(request)
  return text === undefined ? undefined : (parseEventCursor(text) ?? 'unreadable')
}

/** The cursors of a request for several sessions, as a function of the session. */
export const sentCursors = (
  request: IncomingStreamRequest,
): ((sessionId: string) => SentCursor | undefined) => {
  const text = cursorText(request)
  if (text === undefined) return () => undefined
  const cursors = parseCursors(text)
  return (sessionId) => {
    if (!cursors) return 'unreadable'
    const cursor = cursors.get(sessionId)
    return cursor === undefined ? undefined : (parseEventCursor(cursor) ?? 'unreadable')
  }
}

/** `Last-Event-ID` goes first: the URL of a client that reconnects by itself is never updated. */
const cursorText = ({ request, after }: IncomingStreamRequest): string | undefined => {
  const last = request.headers['last-event-id']
  return (typeof last === 'string' ? last : '') || after || undefined
}
