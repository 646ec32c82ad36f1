import { formatCursors } from '../../api/cursors.ts'
import type { Follower } from '../fan-out/follower.ts'
import { noticeOf } from '../fan-out/frame.ts'
import type { SessionFeed } from '../fan-out/session-feed.ts'
import type { OpenOverview, OverviewFeed, OverviewListener } from '../overview/overview.ts'
import type { AcceptRequest } from './acceptor.ts'
import { cursorsIn, type Returning } from './cursor.ts'
import { createMultiplexer } from './multiplexer.ts'
import { compressSnapshots, findStart, type StreamStart } from './start.ts'
import type { StreamParts } from './stream.ts'
import { stripIds } from './strip-ids.ts'

export interface ManyParts extends StreamParts {
  overview: OverviewFeed
}

/** Answers with what happens to all sessions, and with the events of some of them. */
export const openManyStream = async (
  sources: readonly SessionFeed[],
  asked: AcceptRequest & Returning,
  parts: ManyParts,
): Promise<void> => {
  const releases = sources.map(({ feed }) => feed.hold())
  const early: Parameters<OverviewListener>[] = []
  let listener: OverviewListener = (...said) => void early.push(said)
  let overview: OpenOverview | undefined
  try {
    const cursorOf = cursorsIn(asked)
    overview = await parts.overview.open((...said) => listener(...said))
    const starts = await Promise.all(
      sources.map((source) => {
        const { sessionId } = source
        return findStart(source, cursorOf(sessionId), parts.log, { sessionId })
      }),
    )
    await compressSnapshots(starts, asked)
    const heard = follow({ sources, starts, overview }, asked, parts)
    if (!heard) return overview.close()
    listener = heard
    for (const said of early) heard(...said)
  } catch (cause) {
    overview?.close()
    throw cause
  } finally {
    for (const release of releases) release()
  }
}

interface Begun {
  sources: readonly SessionFeed[]
  starts: readonly StreamStart[]
  overview: OpenOverview
}

/** Begins the answer, and gives what takes in the rest of the overview. */
const follow = (
  begun: Begun,
  asked: AcceptRequest,
  parts: ManyParts,
): OverviewListener | undefined => {
  const followers = new Map<SessionFeed, Follower>()
  const resumeAll = () => {
    for (const [{ feed }, follower] of followers) feed.resume(follower)
  }
  const connection = parts.acceptor.accept(asked, {
    onDrain: () => gathering.drained(),
    onClose() {
      begun.overview.close()
      for (const [{ feed }, follower] of followers) feed.leave(follower)
    },
  })
  if (!connection) return undefined

  const endSlow = () => {
    parts.counters.cut += 1
    void connection.end(noticeOf({ type: 'slow_consumer' }))
  }
  const gathering = createMultiplexer({
    connection,
    id: () =>
      formatCursors(Array.from(followers, ([source, { cursor }]) => [source.sessionId, cursor])),
    onRoom: resumeAll,
    onOverflow: endSlow,
  })
  const followerOf = (source: SessionFeed, cursor: number): Follower => ({
    cursor,
    given: 0,
    take: (piece) => gathering.add(stripIds(piece)),
    end(why) {
      followers.delete(source)
      if (why === 'slow') endSlow()
      if (why === 'failed') void connection.end()
    },
  })

  gathering.tell(begun.overview.frame)
  for (const [index, source] of begun.sources.entries()) {
    const { verdict, opening, cursor = 0 } = begun.starts[index] ?? {}
    followers.set(source, followerOf(source, cursor))
    if (verdict !== undefined) gathering.add(Buffer.from(verdict))
    if (opening) gathering.share(opening.line)
  }
  gathering.flush()
  for (const [{ feed }, follower] of [...followers]) feed.join(follower)

  const named = new Set(begun.sources.map(({ sessionId }) => sessionId))
  return (frame, sessionId) => {
    if (sessionId === undefined || !named.has(sessionId)) gathering.tell(frame)
  }
}
