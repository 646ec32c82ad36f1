import type { Log } from '../../log/log.ts'
import type { Follower } from '../fan-out/follower.ts'
import { noticeOf } from '../fan-out/frame.ts'
import type { SessionFeed } from '../fan-out/session-feed.ts'
import type { StreamCounters } from '../figures.ts'
import type { Acceptor, AcceptRequest } from './acceptor.ts'
import { cursorIn, type Returning } from './cursor.ts'
import { compressSnapshots, findStart, type StreamStart } from './start.ts'

export interface StreamParts {
  log: Pick<Log, 'head'>
  acceptor: Acceptor
  counters: StreamCounters
}

/** Answers with the events of one session: what came before as a snapshot, or what was missed. */
export const openStream = async (
  source: SessionFeed,
  asked: AcceptRequest & Returning,
  parts: StreamParts,
): Promise<void> => {
  const release = source.feed.hold() // before anything is read: from here on nothing is missed
  try {
    const start = await findStart(source, cursorIn(asked), parts.log)
    await compressSnapshots([start], asked)
    follow(source, start, asked, parts)
  } finally {
    release()
  }
}

const follow = (
  { feed }: SessionFeed,
  start: StreamStart,
  asked: AcceptRequest,
  parts: StreamParts,
): void => {
  const connection = parts.acceptor.accept(asked, {
    onDrain: () => feed.resume(follower),
    onClose: () => feed.leave(follower),
  })
  if (!connection) return
  const follower: Follower = {
    cursor: start.cursor,
    given: 0,
    take: connection.send,
    end(why) {
      if (why !== 'slow') return void connection.end()
      parts.counters.cut += 1
      void connection.end(noticeOf({ type: 'slow_consumer', after: follower.cursor }))
    },
  }
  if (start.verdict !== undefined) connection.say(start.verdict)
  if (start.opening) {
    connection.say(`id: ${start.opening.seq}\n`)
    connection.share(start.opening.line)
    connection.say('\n')
  }
  feed.join(follower)
}
