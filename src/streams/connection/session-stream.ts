import type { Log } from '../../log/log.ts'
import type { Follower } from '../fan-out/fan-out.ts'
import type { SessionFeed } from '../fan-out/feed-registry.ts'
import { noticeOf } from '../fan-out/frame.ts'
import type { StreamCounters } from '../figures.ts'
import type { IncomingStreamRequest } from '../streams.ts'
import type { Acceptor } from './acceptor.ts'
import { compressSnapshots, findStart, type StreamStart, sentCursor } from './start.ts'

/** What a stream works with. */
export interface StreamDeps {
  log: Pick<Log, 'checksumAt' | 'damage'>
  acceptor: Acceptor
  counters: StreamCounters
}

/**
 * Responds with the stream of one session: a snapshot or the missed events, then new events as they
 * are published. Called by `streams.ts` for `GET sessions/:id/stream`.
 */
export const openSessionStream = async (
  feed: SessionFeed,
  request: IncomingStreamRequest,
  deps: StreamDeps,
): Promise<void> => {
  const release = feed.fanOut.hold() // before anything is read: no event is missed from here on
  try {
    const start = await findStart(feed, sentCursor(request), deps.log)
    await compressSnapshots([start], request)
    startStream(feed, start, request, deps)
  } finally {
    release()
  }
}

const startStream = (
  { fanOut }: SessionFeed,
  { verdict, snapshot, damage, seq, id }: StreamStart,
  request: IncomingStreamRequest,
  { acceptor, counters }: StreamDeps,
): void => {
  const connection = acceptor.accept(request, {
    onDrain: () => fanOut.resume(follower),
    onClose: () => fanOut.leave(follower),
  })
  if (!connection) return
  const follower: Follower = {
    cursor: seq,
    bytePosition: 0,
    send: connection.sendChunk,
    end(reason) {
      if (reason !== 'slow') return void connection.end()
      counters.cut += 1
      void connection.end(noticeOf({ type: 'slow_consumer', after: follower.cursor }))
    },
  }
  if (verdict !== undefined) connection.sendDirect(verdict)
  if (snapshot) {
    connection.sendDirect(`id: ${id}\n`)
    connection.sendShared(snapshot.line)
    connection.sendDirect('\n')
  }
  if (damage !== undefined) connection.sendDirect(damage)
  fanOut.join(follower)
}
