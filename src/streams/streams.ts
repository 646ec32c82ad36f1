import type { IncomingMessage, ServerResponse } from 'node:http'
import { summaryOf } from '../api/summary.ts'
import type { LiveSummary, OverviewTotals } from '../api/types.ts'
import type { Snapshot, StampedEvent } from '../events/types.ts'
import type { Log } from '../log/log.ts'
import { unknownSession } from '../log/log-fault.ts'
import type { SessionLifecycleEvent } from '../session/registry/session-lifecycle.ts'
import { type Transcript, toSnapshot } from '../transcript/index.ts'
import { createAcceptor } from './connection/acceptor.ts'
import { quietTicks } from './connection/connection.ts'
import { openManyStream } from './connection/many-stream.ts'
import { openStream } from './connection/stream.ts'
import { createFeedRegistry } from './fan-out/feed-registry.ts'
import { noticeOf, retryHint } from './fan-out/frame.ts'
import type { StreamFigures } from './figures.ts'
import { createCounters } from './figures.ts'
import { createOverviewFeed } from './overview/overview.ts'

export interface StreamsOptions {
  log: Log
  /** How much of the latest of a session is kept in memory while it has readers. */
  ringBytes?: number
  /** How far a reader may fall behind before it is cut. */
  budgetBytes?: number
  /** A connection on which nothing was written for so long gets a comment. */
  heartbeatMs?: number
  /** How long a reader may take to read the end of its stream. */
  graceMs?: number
  /** Something went wrong that nobody waits for: the log could not be read or written. */
  onError?(cause: unknown): void
}

/** A request for a stream. Whoever passes it on has checked that it is allowed. */
export interface StreamRequest {
  request: IncomingMessage
  /** Headers that are set on it are sent too. */
  response: ServerResponse
  /** A cursor; `Last-Event-ID` goes before it. */
  after?: string | undefined
  /** Cuts the stream: the token has expired or was revoked. */
  signal: AbortSignal
}

/** Streams of events, and the transcripts that they begin with. */
export interface Streams {
  /** Tells readers of an event that is durable; in order for each session. Cheap. */
  publish(event: StampedEvent): void
  /** Tells of what happened to a session as a whole. */
  publishLifecycle(news: SessionLifecycleEvent): void
  /** Answers with the stream of a session. Refused with a `LogFault` before anything is written. */
  open(request: StreamRequest & { sessionId: string }): Promise<void>
  /** Answers with what happens to all sessions, and with the events of some. */
  openMany(request: StreamRequest & { sessionIds: readonly string[] }): Promise<void>
  /** What is known of a session without reading its events. */
  summaryOf(sessionId: string): LiveSummary | undefined
  /** All sessions in a few numbers. */
  totals(): Promise<OverviewTotals>
  snapshotOf(sessionId: string): Promise<Snapshot>
  transcriptOf(sessionId: string): Promise<Transcript>
  figures(): StreamFigures
  /** Tells all readers that less is done than promised; not again within some seconds. */
  notifyDegraded(reason: string): void
  /** Tells all readers to come back later, ends their streams, and stores what starts need. */
  close(): Promise<void>
}

/** What is wrong goes wrong again and again: it is told once in a while. */
const degradedMs = 10_000

export const createStreams = (options: StreamsOptions): Streams => {
  const { log, heartbeatMs = 15_000, graceMs = 5000, onError = () => {} } = options
  const { ringBytes = 1024 * 1024, budgetBytes = 8 * 1024 * 1024 } = options
  const counters = createCounters()
  const sources = createFeedRegistry({ log, ringBytes, budgetBytes, onError })
  const acceptor = createAcceptor({ counters, graceMs })
  const overview = createOverviewFeed({ log, sources, onError })
  const parts = { log, acceptor, counters, overview }

  const tick = () => {
    acceptor.tick()
    sources.tick()
  }
  let quietUntil = 0
  const timer = setInterval(tick, heartbeatMs / quietTicks).unref()

  const transcriptOf = async (sessionId: string): Promise<Transcript> => {
    const source = await sources.get(sessionId)
    return source.transcript.load()
  }

  return {
    publish(event) {
      counters.events += 1
      sources.publish(event)
      overview.onEvent(event)
    },
    publishLifecycle(news) {
      // One that was set aside is gone for everybody, whatever its agent still does.
      if (news.type === 'session_updated' && news.session.removedAt !== undefined) return
      if (news.type === 'session_removed') sources.remove(news.sessionId)
      overview.publishLifecycle(news)
    },
    async open(request) {
      await openStream(await sources.get(request.sessionId), request, parts)
    },
    async openMany(request) {
      const named = [...new Set(request.sessionIds)]
      await openManyStream(await Promise.all(named.map(sources.get)), request, parts)
    },
    summaryOf(sessionId) {
      const transcript = sources.find(sessionId)?.transcript.current()
      return transcript && summaryOf(transcript)
    },
    totals: overview.totals,
    transcriptOf,
    async snapshotOf(sessionId) {
      const record = await log.sessions.get(sessionId)
      if (!record) throw unknownSession(sessionId)
      return toSnapshot(await transcriptOf(sessionId), { projectId: record.projectId ?? '' })
    },
    notifyDegraded(reason) {
      if (performance.now() < quietUntil) return
      quietUntil = performance.now() + degradedMs
      acceptor.say(noticeOf({ type: 'degraded', reason }))
    },
    figures: () => ({ ...counters, ...sources.lag() }),
    async close() {
      clearInterval(timer)
      overview.close()
      sources.flush()
      await Promise.all([acceptor.close(retryHint(1000)), sources.close()])
    },
  }
}
