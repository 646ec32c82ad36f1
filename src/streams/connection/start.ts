import type { IncomingMessage } from 'node:http'
import type { Log } from '../../log/log.ts'
import { noticeOf } from '../fan-out/frame.ts'
import type { SessionFeed } from '../fan-out/session-feed.ts'
import type { OpeningSnapshot } from '../snapshots/live-transcript.ts'
import type { Cursor } from './cursor.ts'
import { wantsGzip } from './encoding.ts'
import { deflateAhead } from './gzip.ts'

/** What a reader is told first of a session, and where it stands then. */
export interface StreamStart {
  /** The answer to its cursor, as a frame. */
  verdict?: string
  /** Where everything before is told at once. */
  opening?: OpeningSnapshot
  cursor: number
}

/** `about` is said with the verdict. */
export const findStart = async (
  source: SessionFeed,
  cursor: Cursor | undefined,
  log: Pick<Log, 'head'>,
  about: { sessionId?: string } = {},
): Promise<StreamStart> => {
  const verdictOf = (verdict: 'ok' | 'gap', after: number) =>
    noticeOf({ type: 'resume', verdict, after, ...about })
  if (typeof cursor === 'number' && (await hasCome(cursor, source, log)))
    return { verdict: verdictOf('ok', cursor), cursor }
  const opening = await source.transcript.opening()
  if (cursor === undefined) return { opening, cursor: opening.seq }
  const verdict = verdictOf('gap', cursor === 'unreadable' ? 0 : cursor)
  return { verdict, opening, cursor: opening.seq }
}

/** Has what is large made ready for whoever asks. */
export const compressSnapshots = async (
  starts: readonly StreamStart[],
  { request }: { request: IncomingMessage },
): Promise<void> => {
  if (!wantsGzip(request.headers['accept-encoding'])) return
  await Promise.all(starts.map(({ opening }) => opening && deflateAhead(opening.line)))
}

/** Whether a session has come that far. The log may be a moment ahead of what was published. */
const hasCome = async (cursor: number, { sessionId, feed }: SessionFeed, log: Pick<Log, 'head'>) =>
  cursor <= feed.head() || cursor <= (await log.head(sessionId))
