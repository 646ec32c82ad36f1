import { setTimeout as pause } from 'node:timers/promises'
import { summaryOf } from '../../api/summary.ts'
import type { LiveSummary } from '../../api/types.ts'
import type { Log } from '../../log/log.ts'
import { LogFault } from '../../log/log-fault.ts'
import type { SessionRecord } from '../../log/types.ts'
import type { SessionLifecycleEvent } from '../../session/registry/session-lifecycle.ts'
import type { FeedRegistry } from '../fan-out/feed-registry.ts'
import { createLiveTranscript } from '../snapshots/live-transcript.ts'
import { unpackSnapshot } from '../snapshots/stored-snapshot.ts'

/** A session from afar. */
export interface SessionSummary {
  record: SessionRecord
  /** Absent until it was read. */
  live?: LiveSummary
}

/** All sessions from afar. There are none until somebody asks for the first time. */
export interface Summaries {
  /**
   * Reads what is stored, once. Does not wait longer than `patienceMs` for sessions whose events
   * must be read: `onLate` tells of those.
   */
  load(patienceMs: number, onLate: (sessionId: string) => void): Promise<void>
  isBegun(): boolean
  has(sessionId: string): boolean
  /** Newest first. */
  all(): SessionSummary[]
  /** Looks at a session again; undefined when it is not there. */
  refresh(sessionId: string): Promise<SessionSummary | undefined>
  onLifecycle(news: SessionLifecycleEvent): void
}

export interface SummariesOptions {
  log: Log
  sources: Pick<FeedRegistry, 'find'>
  onError(cause: unknown): void
}

export const createSummaries = ({ log, sources, onError }: SummariesOptions): Summaries => {
  const known = new Map<string, SessionSummary>()
  let loading: Promise<{ rest: Promise<void> }> | undefined

  /** What was stored, if nothing has happened since. */
  const storedOf = async (sessionId: string): Promise<LiveSummary | undefined> => {
    const found = await log.snapshots.get(sessionId)
    if (!found || found.seq !== (await log.head(sessionId))) return undefined
    return unpackSnapshot(found)?.summary
  }

  /** Reads all of its events, and stores what comes of it: next time it is there. */
  const readOf = async (sessionId: string): Promise<LiveSummary> => {
    const head = await log.head(sessionId)
    const transcript = createLiveTranscript({ sessionId, log, head: () => head })
    await transcript.save('closing')
    return summaryOf(await transcript.load())
  }

  const liveOf = async (sessionId: string): Promise<LiveSummary> => {
    const source = sources.find(sessionId)
    if (source) return summaryOf(await source.transcript.load())
    return (await storedOf(sessionId)) ?? readOf(sessionId)
  }

  const fill = async (each: SessionSummary): Promise<void> => {
    try {
      each.live = await liveOf(each.record.id)
    } catch (cause) {
      // It may be gone by now. Whatever is wrong with one of them is no reason to lose the others.
      if (!(cause instanceof LogFault)) onError(cause)
    }
  }

  const list = async (): Promise<void> => {
    let before: SessionRecord | undefined
    do {
      const page = await log.sessions.list({ before, limit: 200 })
      for (const record of page) known.set(record.id, { record })
      before = page.at(-1)
    } while (before)
  }

  const begin = async (onLate: (sessionId: string) => void) => {
    await list()
    const fillAll = async (): Promise<void> => {
      for (const each of [...known.values()]) {
        await fill(each)
        onLate(each.record.id)
      }
    }
    return { rest: fillAll().catch(onError) }
  }

  return {
    async load(patienceMs, onLate) {
      loading ??= begin(onLate).catch((cause: unknown) => {
        loading = undefined // whoever asks next tries again
        throw cause
      })
      const { rest } = await loading
      await Promise.race([rest, pause(patienceMs, undefined, { ref: false })])
    },
    isBegun: () => loading !== undefined,
    has: (sessionId) => known.has(sessionId),
    all: () => [...known.values()].sort(newestFirst),
    async refresh(sessionId) {
      const each = known.get(sessionId)
      if (each) await fill(each)
      // It may have been told of, or removed, while it was looked at.
      const now = known.get(sessionId)
      if (now && each?.live) now.live = each.live
      return now
    },
    onLifecycle(news) {
      if (loading === undefined) return
      if (news.type === 'session_removed') known.delete(news.sessionId)
      else known.set(news.session.id, { ...known.get(news.session.id), record: news.session })
    },
  }
}

const newestFirst = (left: SessionSummary, right: SessionSummary): number =>
  right.record.createdAt - left.record.createdAt || (left.record.id < right.record.id ? 1 : -1)
