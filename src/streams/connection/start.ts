import { parseCursors } from '../../api/cursors.ts'
import type { Log } from '../../log/log.ts'
import type { SessionFeed } from '../fan-out/feed-registry.ts'
import { noticeOf } from '../fan-out/frame.ts'
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
  /** The events after this one follow. */
  cursor: number
}

/** The seq of the last event that a client has seen; `unreadable` if it sent something else. */
export type Cursor = number | 'unreadable'

/** Finds the start for a cursor, or for a client without one. `about` goes into the verdict. */
export const findStart = async (
  feed: SessionFeed,
  cursor: Cursor | undefined,
  log: Pick<Log, 'head'>,
  about: { sessionId?: string } = {},
): Promise<StreamStart> => {
  const verdictOf = (verdict: 'ok' | 'gap', after: number) =>
    noticeOf({ type: 'resume', verdict, after, ...about })
  if (typeof cursor === 'number' && (await hasReached(cursor, feed, log)))
    return { verdict: verdictOf('ok', cursor), cursor }
  const snapshot = await feed.transcript.opening()
  if (cursor === undefined) return { snapshot, cursor: snapshot.seq }
  const verdict = verdictOf('gap', cursor === 'unreadable' ? 0 : cursor)
  return { verdict, snapshot, cursor: snapshot.seq }
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
export const cursorOf = (request: IncomingStreamRequest): Cursor | undefined => {
  const text = cursorText(request)
  if (text === undefined) return undefined
  return /^\d{1,15}$/.test(text) ? Number(text) : 'unreadable'
}

/** The cursors of a request for several sessions, as a function of the session. */
export const cursorsOf = (
  request: IncomingStreamRequest,
): ((sessionId: string) => Cursor | undefined) => {
  const text = cursorText(request)
  if (text === undefined) return () => undefined
  const cursors = parseCursors(text)
  return (sessionId) => (cursors ? cursors.get(sessionId) : 'unreadable')
}

/** `Last-Event-ID` goes first: the URL of a client that reconnects by itself is never updated. */
const cursorText = ({ request, after }: IncomingStreamRequest): string | undefined => {
  const last = request.headers['last-event-id']
  return (typeof last === 'string' ? last : '') || after || undefined
}

/** Whether a session has an event. The log may be a moment ahead of what was published. */
const hasReached = async (
  seq: number,
  { sessionId, fanOut }: SessionFeed,
  log: Pick<Log, 'head'>,
): Promise<boolean> => seq <= fanOut.head() || seq <= (await log.head(sessionId))
