import type { IncomingMessage, ServerResponse } from 'node:http'
import { summaryOf } from '../api/summary.ts'
import type { LiveSummary, OverviewTotals } from '../api/types.ts'
import type { LoopInfo, Snapshot, StampedEvent } from '../events/types.ts'
import type { Log, SessionRange } from '../log/log.ts'
import { unknownSession } from '../log/log-fault.ts'
import type { SessionLifecycleEvent } from '../session/registry/sessions.ts'
import { type Transcript, toSnapshot } from '../transcript/index.ts'
import { createAcceptor } from './connection/acceptor.ts'
import { heartbeatTicks } from './connection/connection.ts'
import { openMultiplexedStream } from './connection/multiplexed-stream.ts'
import { openSessionStream } from './connection/session-stream.ts'
import { createFeedRegistry } from './fan-out/feed-registry.ts'
import { noticeOf, retryHint } from './fan-out/frame.ts'
import { createCounters, type StreamFigures } from './figures.ts'
import { cursorAt } from './log-cursor.ts'
import { createOverviewFeed } from './overview/overview-feed.ts'

/**
 * All streams of a server, and the transcripts that they begin with. Sessions publish events here;
 * the HTTP server opens streams.
 */
export interface Streams {
  /** Sends readers an event that is stored in the log. Events of one session come in order. */
  publish(event: StampedEvent): void
  /** Like `publish`, for an event of long ago: nothing is loaded for a session without readers. */
  publishHistory(event: StampedEvent): void
  /** Sends readers of the overview that a session was created, updated or removed. */
  publishLifecycle(event: SessionLifecycleEvent): void
  /** Sends readers of the overview that a loop was created or changed. */
  publishLoop(loop: LoopInfo): void
  /** Whether the events of a session are needed here: it has readers, or the overview shows it. */
  follows(sessionId: string): boolean
  /** The sessions that have readers, or had some a short while ago. */
  followed(): string[]
  /** The seq of the last published event of a session that has readers. */
  headOf(sessionId: string): number | undefined
  /** Responds with the stream of a session. Throws a `LogFault` before anything is written. */
  open(request: IncomingStreamRequest & { sessionId: string }): Promise<void>
  /** Responds with the overview of all sessions and the events of some. Throws as `open` does. */
  openMany(request: ManyStreamRequest): Promise<void>
  /** The summary of a session, if its transcript is in memory. */
  summaryOf(sessionId: string): LiveSummary | undefined
  /** The totals of all sessions. */
  totals(): Promise<OverviewTotals>
  /** The snapshot that a new stream of a session would begin with, up to the latest event. */
  snapshotOf(sessionId: string): Promise<Snapshot>
  /** The transcript of a session up to the latest event. */
  transcriptOf(sessionId: string): Promise<Transcript>
  /** Figures about all streams. */
  figures(): StreamFigures
  /** Sends all readers, now and later, why the server works only in part; undefined: it works again. */
  setDegraded(reason: string | undefined): void
  /** Asks all readers to reconnect, ends their streams, and stores snapshots for the next start. */
  close(): Promise<void>
}

/** A request for a stream. The caller has checked that it is allowed. */
export interface IncomingStreamRequest {
  request: IncomingMessage
  /** Headers that are set on it are sent too. */
  response: ServerResponse
  /** The cursor in the URL; `Last-Event-ID` overrides it. */
  after?: string | undefined
  /** Ends the stream at once: the token has expired or was revoked. */
  signal: AbortSignal
}

/** A request for the overview, and for the events of some sessions. */
export interface ManyStreamRequest extends IncomingStreamRequest {
  sessionIds: readonly string[]
  /** The sessions that the overview shows. Default: all. */
  range?: SessionRange
}

export interface StreamsOptions {
  log: Log
  /** How many bytes of a session’s latest events stay in memory while it has readers: 1 MiB. */
  ringBytes?: number
  /** About the most characters of a snapshot: 32 Mi. Of a longer session, the latest entries stay. */
  snapshotChars?: number
  /** How many bytes a reader may fall behind before its stream is ended: 8 MiB. */
  budgetBytes?: number
  /** How long a stream is silent before a heartbeat is sent: 15 s. */
  heartbeatMs?: number
  /** How long a reader may take to read the end of its stream: 5 s. */
  graceMs?: number
  /** Receives errors of the log that no caller waits for. */
  onError?(cause: unknown): void
}

export const createStreams = (options: StreamsOptions): Streams => {
  const { log, heartbeatMs = 15_000, graceMs = 5000, onError = () => {} } = options
  const { ringBytes = 1024 * 1024, budgetBytes = 8 * 1024 * 1024, snapshotChars } = options
  const counters = createCounters()
  const feeds = createFeedRegistry({ log, ringBytes, budgetBytes, snapshotChars, onError })
  const acceptor = createAcceptor({ counters, graceMs })
  const overview = createOverviewFeed({ log, feeds, onError })
  const deps = { log, acceptor, counters, overview }

  const tick = () => {
    acceptor.tick()
    feeds.tick()
  }
  // Open streams would wait for events that nobody can read: their readers connect again.
  const unsubscribe = log.damage.subscribe(({ kind, id }) => {
    if (kind === 'session') feeds.restart(id)
  })
  const timer = setInterval(tick, heartbeatMs / heartbeatTicks).unref()

  const transcriptOf = async (sessionId: string): Promise<Transcript> => {
    const feed = await feeds.load(sessionId)
    return feed.transcript.load()
  }

  return {
    publish(event) {
      counters.events += 1
      feeds.publish(event)
      overview.onEvent(event)
    },
    publishHistory(event) {
      if (feeds.find(event.sessionId)) feeds.publish(event)
    },
    publishLifecycle(event) {
      // The agent of a removed session may still end: nobody sees that.
      if (event.type === 'session_updated' && event.session.removedAt !== undefined) return
      if (event.type === 'session_removed') feeds.remove(event.sessionId)
      overview.publishLifecycle(event)
    },
    publishLoop: overview.publishLoop,
    follows: (sessionId) => feeds.isWanted(sessionId) || overview.isStarted(),
    followed: feeds.sessionIds,
    headOf: (sessionId) => feeds.find(sessionId)?.fanOut.head(),
    async open(request) {
      await openSessionStream(await feeds.load(request.sessionId), request, deps)
    },
    async openMany(request) {
      const sessionIds = [...new Set(request.sessionIds)]
      await openMultiplexedStream(await Promise.all(sessionIds.map(feeds.load)), request, deps)
    },
    summaryOf(sessionId) {
      const transcript = feeds.find(sessionId)?.transcript.current()
      return transcript && summaryOf(transcript)
    },
    totals: overview.totals,
    transcriptOf,
    async snapshotOf(sessionId) {
      const record = await log.sessions.get(sessionId)
      if (!record) throw unknownSession(sessionId)
      const feed = await feeds.load(sessionId)
      const transcript = await feed.transcript.loadTrimmed()
      const cursor = await cursorAt(log, sessionId, transcript.seq)
      const { projectId = '' } = record
      return toSnapshot(transcript, { projectId, ...(cursor !== undefined && { cursor }) })
    },
    figures: () => ({ ...counters, ...feeds.lag() }),
    setDegraded(reason) {
      const degraded = reason === undefined ? undefined : noticeOf({ type: 'degraded', reason })
      acceptor.setOpeningNotice(degraded)
      acceptor.broadcast(degraded ?? noticeOf({ type: 'recovered' }))
    },
    async close() {
      clearInterval(timer)
      unsubscribe()
      overview.close()
      feeds.flush()
      await Promise.all([acceptor.close(retryHint(1000)), feeds.close()])
    },
  }
}
