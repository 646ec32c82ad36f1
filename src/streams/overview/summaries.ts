import { setTimeout as delay } from 'node:timers/promises'
import { summaryOf } from '../../api/summary.ts'
import type { LiveSummary, SessionInfo } from '../../api/types.ts'
import { raisedBy } from '../../budget/limits.ts'
import { startInfoOf } from '../../events/start-info.ts'
import { allSessions } from '../../log/all-sessions.ts'
import type { Log } from '../../log/log.ts'
import { LogFault } from '../../log/log-fault.ts'
import type { SessionRecord } from '../../log/types.ts'
import type { SessionLifecycleEvent } from '../../session/registry/sessions.ts'
import type { FeedRegistry } from '../fan-out/feed-registry.ts'
import { createLiveTranscript } from '../snapshots/live-transcript.ts'
import { unpackSnapshot } from '../snapshots/stored-snapshot.ts'

/**
 * The summaries of all sessions, in memory for the overview feed. They are loaded when the overview
 * is needed for the first time.
 */
export interface Summaries {
  /**
   * Loads all sessions, once. Waits at most `patienceMs` for summaries that are made from the log,
   * and calls `onSummary` for each session whose summary was loaded.
   */
  load(patienceMs: number, onSummary: (sessionId: string) => void): Promise<void>
  /** Whether `load` was called. */
  isStarted(): boolean
  /** The summary of a session, if there is one in memory. */
  find(sessionId: string): SessionSummary | undefined
  /** All sessions, newest first. */
  all(): SessionSummary[]
  /** Sessions that are removed, but can still be restored. */
  removed(): Promise<SessionSummary[]>
  /** Updates the summary of a session; undefined if the session does not exist. */
  refresh(sessionId: string): Promise<SessionSummary | undefined>
  /** Updates the record of a session. */
  onLifecycle(event: SessionLifecycleEvent): void
}

/** A session as lists show it. */
export interface SessionSummary {
  record: SessionRecord
  /** Absent until it is loaded. */
  live?: LiveSummary
}

/** A session as clients see it: without the agent’s own id and process. */
export const sessionInfoOf = (
  record: SessionRecord,
  live: LiveSummary | undefined,
): SessionInfo => {
  const { nativeId: _, pid: __, pidStartedAt: ___, creatorId: ____, ...rest } = record
  const { raised, budget, start, ...own } = rest
  const { forkedNativeId: _____, forkedAt: ______, continuedNativeId: _______, ...visible } = own
  const limits = budget && raisedBy(budget.limits, raised?.own)
  return {
    ...visible,
    ...(start && { start: startInfoOf(start) }),
    ...(budget && limits && { budget: { ...budget, limits } }),
    lastActivity: record.lastActivity ?? record.updatedAt,
    ...live,
  }
}

export interface SummariesOptions {
  log: Log
  feeds: Pick<FeedRegistry, 'find'>
  onError(cause: unknown): void
}

export const createSummaries = ({ log, feeds, onError }: SummariesOptions): Summaries => {
  /** Oldest first. */
  const summaries = new Map<string, SessionSummary>()
  const removed = new Map<string, SessionSummary>()
  let loading: Promise<{ allSummaries: Promise<void> }> | undefined

  const refreshLive = async (summary: SessionSummary): Promise<void> => {
    try {
      summary.live = await loadLive(summary.record.id, log, feeds)
    } catch (cause) {
      // The session may be removed by now. An error in one session must not hide the others.
      if (!(cause instanceof LogFault)) onError(cause)
    }
  }

  const loadRecords = async (): Promise<void> => {
    const records = await allSessions(log)
    // Sessions that were created or updated meanwhile are newer than what was read.
    const meanwhile = [...summaries]
    summaries.clear()
    for (const record of records.reverse())
      if (record.removedAt === undefined) summaries.set(record.id, { record })
      else removed.set(record.id, { record })
    for (const [id, summary] of meanwhile) summaries.set(id, summary)
  }

  const loadAll = async (onSummary: (sessionId: string) => void) => {
    await loadRecords()
    const loadSummaries = async (): Promise<void> => {
      for (const summary of [...summaries.values()]) {
        await refreshLive(summary)
        onSummary(summary.record.id)
      }
      for (const summary of removed.values()) await refreshLive(summary)
    }
    return { allSummaries: loadSummaries().catch(onError) }
  }

  return {
    async load(patienceMs, onSummary) {
      loading ??= loadAll(onSummary).catch((cause: unknown) => {
        loading = undefined // the next caller tries again
        throw cause
      })
      const { allSummaries } = await loading
      await Promise.race([allSummaries, delay(patienceMs, undefined, { ref: false })])
    },
    isStarted: () => loading !== undefined,
    find: (sessionId) => summaries.get(sessionId),
    all: () => [...summaries.values()].reverse(),
    async removed() {
      // One that is deleted for good is in the deleted usage of the log.
      for (const id of [...removed.keys()]) if (!(await log.sessions.get(id))) removed.delete(id)
      return [...removed.values()]
    },
    async refresh(sessionId) {
      const before = summaries.get(sessionId)
      if (before) await refreshLive(before)
      // Meanwhile the session may have been updated or removed.
      const now = summaries.get(sessionId)
      if (now && before?.live) now.live = before.live
      return now
    },
    onLifecycle(event) {
      if (loading === undefined) return
      if (event.type === 'session_removed') {
        const summary = summaries.get(event.sessionId)
        if (summary) removed.set(event.sessionId, summary)
        summaries.delete(event.sessionId)
        return
      }
      const { type, session } = event
      removed.delete(session.id)
      const isRestored = type === 'session_updated' && !summaries.has(session.id)
      const newer = isRestored ? newerThan(summaries, session) : []
      summaries.set(session.id, { ...summaries.get(session.id), record: session })
      for (const [id, summary] of newer) {
        summaries.delete(id)
        summaries.set(id, summary)
      }
    },
  }
}

/** From the feed if there is one, else from the stored snapshot, else from all events. */
const loadLive = async (
  sessionId: string,
  log: Log,
  feeds: Pick<FeedRegistry, 'find'>,
): Promise<LiveSummary> => {
  const feed = feeds.find(sessionId)
  if (feed) return summaryOf(await feed.transcript.load())
  const stored = await log.snapshots.get(sessionId)
  const head = await log.head(sessionId)
  const unpacked = stored?.seq === head ? unpackSnapshot(stored) : undefined
  if (unpacked) return unpacked.summary
  const transcript = createLiveTranscript({ sessionId, log, head: () => head })
  await transcript.save('closing') // next time it is there
  return summaryOf(await transcript.load())
}

/** The last sessions of the map, after those that are as old as the given one. */
const newerThan = (
  summaries: ReadonlyMap<string, SessionSummary>,
  { createdAt }: SessionRecord,
): [string, SessionSummary][] => {
  const entries = [...summaries]
  return entries.slice(entries.findLastIndex(([, { record }]) => record.createdAt <= createdAt) + 1)
}
