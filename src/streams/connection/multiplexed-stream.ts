import type { Follower } from '../fan-out/fan-out.ts'
import type { SessionFeed } from '../fan-out/feed-registry.ts'
import { noticeOf } from '../fan-out/frame.ts'
import type { OpenOverview, OverviewFeed } from '../overview/overview-feed.ts'
import type { OverviewListener } from '../overview/publisher.ts'
import type { IncomingStreamRequest, ManyStreamRequest } from '../streams.ts'
import { createMultiplexer } from './multiplexer.ts'
import type { StreamDeps } from './session-stream.ts'
import { compressSnapshots, findStart, type StreamStart, sentCursors } from './start.ts'
import { createStreamIds } from './stream-ids.ts'

export interface MultiplexedStreamDeps extends StreamDeps {
  overview: OverviewFeed
}

/**
 * Responds with one stream of many sessions: the overview of all sessions, and the events of those
 * that the request names. Called by `streams.ts` for `GET stream`.
 */
export const openMultiplexedStream = async (
  feeds: readonly SessionFeed[],
  request: ManyStreamRequest,
  deps: MultiplexedStreamDeps,
): Promise<void> => {
  const releases = feeds.map(({ fanOut }) => fanOut.hold())
  /** Changes of the overview that come before the stream is open. */
  const early: Parameters<OverviewListener>[] = []
  let listener: OverviewListener = (...change) => void early.push(change)
  let overview: OpenOverview | undefined
  try {
    const cursorFor = sentCursors(request)
    overview = await deps.overview.open((...change) => listener(...change), request.range)
    const starts = await Promise.all(
      feeds.map(async (feed) => {
        const { sessionId } = feed
        return { feed, ...(await findStart(feed, cursorFor(sessionId), deps.log, { sessionId })) }
      }),
    )
    await compressSnapshots(starts, request)
    const opened = startStream(starts, overview, request, deps)
    if (!opened) return overview.close()
    listener = opened
    for (const change of early) opened(...change)
  } catch (cause) {
    overview?.close()
    throw cause
  } finally {
    for (const release of releases) release()
  }
}

/** Where a stream starts in one of its sessions. */
interface SessionStart extends StreamStart {
  feed: SessionFeed
}

/** Begins the response. Returns a listener for later changes of the overview. */
const startStream = (
  starts: readonly SessionStart[],
  overview: OpenOverview,
  request: IncomingStreamRequest,
  { acceptor, counters }: StreamDeps,
): OverviewListener | undefined => {
  const followers = new Map<SessionFeed, Follower>()
  const sessionIds = starts.map(({ feed }) => feed.sessionId)
  const ids = createStreamIds(sessionIds)
  const connection = acceptor.accept(request, {
    onDrain: () => multiplexer.onDrain(),
    onClose() {
      overview.close()
      for (const [{ fanOut }, follower] of followers) fanOut.leave(follower)
    },
  })
  if (!connection) return undefined

  const endSlow = () => {
    counters.cut += 1
    void connection.end(noticeOf({ type: 'slow_consumer' }))
  }
  const multiplexer = createMultiplexer({
    connection,
    ...(ids.isLong && { lastId: ids.current }),
    onWritable() {
      for (const [{ fanOut }, follower] of followers) fanOut.resume(follower)
    },
    onOverflow: endSlow,
  })
  const followerOf = (feed: SessionFeed, cursor: number): Follower => ({
    cursor,
    bytePosition: 0,
    send: (chunk) => multiplexer.addFrames(ids.framesOf(feed.sessionId, chunk)),
    end(reason) {
      followers.delete(feed)
      ids.remove(feed.sessionId)
      if (reason === 'slow') endSlow()
      if (reason === 'failed') void connection.end()
    },
  })

  multiplexer.addNotice(overview.frame)
  // The first id already has the cursors of the sessions that are resumed.
  for (const { feed, snapshot, id } of starts) if (!snapshot) ids.move(feed.sessionId, id)
  for (const { feed, verdict, snapshot, damage, seq, id } of starts) {
    followers.set(feed, followerOf(feed, seq))
    if (verdict !== undefined) multiplexer.addFrames(Buffer.from(verdict))
    if (snapshot) {
      ids.move(feed.sessionId, id)
      multiplexer.addLine(snapshot.line, ids.isLong ? '\n' : `id: ${ids.current()}\n\n`)
    }
    if (damage !== undefined) multiplexer.addFrames(Buffer.from(damage))
  }
  multiplexer.flush()
  for (const [{ fanOut }, follower] of [...followers]) fanOut.join(follower)

  const named = new Set(sessionIds)
  return (frame, sessionId) => {
    if (sessionId === undefined || !named.has(sessionId)) multiplexer.addNotice(frame)
  }
}
