import { formatCursors } from '../../api/cursors.ts'
import type { Follower } from '../fan-out/fan-out.ts'
import type { SessionFeed } from '../fan-out/feed-registry.ts'
import { noticeOf } from '../fan-out/frame.ts'
import type { OpenOverview, OverviewFeed } from '../overview/overview-feed.ts'
import type { OverviewListener } from '../overview/publisher.ts'
import type { IncomingStreamRequest, ManyStreamRequest } from '../streams.ts'
import { createMultiplexer, stripIds } from './multiplexer.ts'
import type { StreamDeps } from './session-stream.ts'
import { compressSnapshots, cursorsOf, findStart, type StreamStart } from './start.ts'

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
    const cursorFor = cursorsOf(request)
    overview = await deps.overview.open((...change) => listener(...change), request.range)
    const starts = await Promise.all(
      feeds.map((feed) => {
        const { sessionId } = feed
        return findStart(feed, cursorFor(sessionId), deps.log, { sessionId })
      }),
    )
    await compressSnapshots(starts, request)
    const opened = startStream({ feeds, starts, overview }, request, deps)
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

/** What a stream begins with. */
interface Beginning {
  feeds: readonly SessionFeed[]
  /** Of each feed, in the same order. */
  starts: readonly StreamStart[]
  overview: OpenOverview
}

/** Begins the response. Returns a listener for later changes of the overview. */
const startStream = (
  { feeds, starts, overview }: Beginning,
  request: IncomingStreamRequest,
  { acceptor, counters }: StreamDeps,
): OverviewListener | undefined => {
  const followers = new Map<SessionFeed, Follower>()
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
    id: () =>
      formatCursors(Array.from(followers, ([feed, { cursor }]) => [feed.sessionId, cursor])),
    onWritable() {
      for (const [{ fanOut }, follower] of followers) fanOut.resume(follower)
    },
    onOverflow: endSlow,
  })
  const followerOf = (feed: SessionFeed, cursor: number): Follower => ({
    cursor,
    bytePosition: 0,
    send: (chunk) => multiplexer.addFrames(stripIds(chunk)),
    end(reason) {
      followers.delete(feed)
      if (reason === 'slow') endSlow()
      if (reason === 'failed') void connection.end()
    },
  })

  multiplexer.addNotice(overview.frame)
  for (const [index, feed] of feeds.entries()) {
    const { verdict, snapshot, cursor = 0 } = starts[index] ?? {}
    followers.set(feed, followerOf(feed, cursor))
    if (verdict !== undefined) multiplexer.addFrames(Buffer.from(verdict))
    if (snapshot) multiplexer.addLine(snapshot.line)
  }
  multiplexer.flush()
  for (const [{ fanOut }, follower] of [...followers]) fanOut.join(follower)

  const named = new Set(feeds.map(({ sessionId }) => sessionId))
  return (frame, sessionId) => {
    if (sessionId === undefined || !named.has(sessionId)) multiplexer.addNotice(frame)
  }
}
