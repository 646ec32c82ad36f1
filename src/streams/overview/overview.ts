import type { Approval, OverviewEvent, OverviewTotals } from '../../api/types.ts'
import type { StampedEvent } from '../../events/types.ts'
import type { ApprovalRecord, SessionRecord } from '../../log/types.ts'
import type { SessionLifecycleEvent } from '../../session/registry/session-lifecycle.ts'
import { noticeOf } from '../fan-out/frame.ts'
import { sessionInfoOf } from './public-session.ts'
import { createSummaries, type SessionSummary, type SummariesOptions } from './summaries.ts'
import { sumOf } from './totals.ts'

/** What everybody is told who wants to know of all sessions. */
export interface OverviewFeed {
  /** What a new listener is told first; everything after it is told to the listener itself. */
  open(listener: OverviewListener): Promise<OpenOverview>
  totals(): Promise<OverviewTotals>
  /** Takes in every event that is published. */
  onEvent(event: StampedEvent): void
  /** Takes in what happened to a session as a whole. */
  publishLifecycle(news: SessionLifecycleEvent): void
  close(): void
}

export interface OpenOverview {
  /** The frame to begin with. */
  frame: string
  /** Ends the telling. */
  close(): void
}

/** `sessionId` is there where those who follow that session see the same among its events. */
export type OverviewListener = (frame: string, sessionId?: string) => void

export interface OverviewOptions extends SummariesOptions {
  /** Changes that come within this time are told as one. */
  gatherMs?: number
}

/** So many sessions are in the overview; its totals are of all. */
const listed = 500
/** So long an overview waits for sessions that must be read from the log; they follow later. */
const patienceMs = 250

export const createOverviewFeed = (options: OverviewOptions): OverviewFeed => {
  const { log, onError, gatherMs = 200 } = options
  const listeners = new Set<OverviewListener>()
  const summaries = createSummaries(options)
  /** Sessions that may look otherwise than they were told, and how they were told. */
  const changed = new Set<string>()
  const told = new Map<string, string>()
  let toldTotals = ''
  let timer: NodeJS.Timeout | undefined

  const tellAll = (frame: string, sessionId?: string): void => {
    for (const listener of listeners) listener(frame, sessionId)
  }

  const totals = async (): Promise<OverviewTotals> => {
    const known = summaries.all()
    return {
      sessions: known.length,
      running: known.filter(({ record }) => record.state === 'running').length,
      approvals: (await log.approvals.list({ status: 'pending' })).length,
      usage: sumOf(known.flatMap(({ live }) => live?.usage ?? [])),
    }
  }

  const tellSession = async (id: string): Promise<void> => {
    const known = await summaries.refresh(id)
    if (!known) return void told.delete(id)
    const [before, frame] = [told.get(id), updateOf(known)]
    told.set(id, frame)
    // What was never told stands in the overview that is about to be.
    if (before !== undefined && before !== frame) tellAll(frame)
  }

  const tellNew = (record: SessionRecord): void => {
    told.set(record.id, updateOf({ record }))
    tellAll(frameOf({ type: 'session_created', session: sessionInfoOf(record, undefined) }))
  }

  /** One that comes back after it was removed is new to those who are told. */
  const isUnknown = (sessionId: string) => summaries.isBegun() && !summaries.has(sessionId)

  const tellGone = (sessionId: string): void => {
    told.delete(sessionId)
    tellAll(frameOf({ type: 'session_removed', sessionId }))
  }

  /** Tells what has changed. */
  const settle = async (): Promise<void> => {
    const ids = [...changed]
    changed.clear()
    for (const id of ids) await tellSession(id)
    const frame = frameOf({ type: 'totals', totals: await totals() })
    if (frame !== toldTotals) tellAll(frame)
    toldTotals = frame
  }

  const settleSoon = (): void => {
    if (listeners.size === 0) return
    timer ??= setTimeout(() => {
      timer = undefined
      settle().catch(onError)
    }, gatherMs).unref()
  }

  const noteChange = (sessionId: string): void => {
    if (!summaries.isBegun()) return
    changed.add(sessionId)
    settleSoon()
  }

  const load = async (): Promise<void> => {
    await summaries.load(patienceMs, noteChange)
    await settle()
  }

  const opening = async (): Promise<string> => {
    const pending = await log.approvals.list({ status: 'pending' })
    const sums = await totals()
    const known = summaries.all()
    for (const each of known)
      if (!told.has(each.record.id)) told.set(each.record.id, updateOf(each))
    return frameOf({
      type: 'overview',
      sessions: known.slice(0, listed).map(({ record, live }) => sessionInfoOf(record, live)),
      approvals: pending.map(approvalOf),
      totals: sums,
    })
  }

  return {
    async open(listener) {
      await load()
      listeners.add(listener)
      const close = () => void listeners.delete(listener)
      try {
        return { frame: await opening(), close }
      } catch (cause) {
        close()
        throw cause
      }
    },
    async totals() {
      await load()
      return totals()
    },
    onEvent(event) {
      if (!looksOtherwise.has(event.type)) return
      if (event.type === 'approval_request' || event.type === 'approval_resolved')
        tellAll(noticeOf(event), event.sessionId)
      noteChange(event.sessionId)
    },
    publishLifecycle(news) {
      const isBack = news.type === 'session_updated' && isUnknown(news.session.id)
      summaries.onLifecycle(news)
      if (news.type === 'session_removed') tellGone(news.sessionId)
      if (news.type === 'session_created' || isBack) tellNew(news.session)
      if (news.type === 'session_updated') noteChange(news.session.id)
      settleSoon()
    },
    close: () => clearTimeout(timer),
  }
}

const updateOf = ({ record, live }: SessionSummary): string =>
  frameOf({ type: 'session_updated', session: sessionInfoOf(record, live) })

const frameOf = (event: OverviewEvent): string => noticeOf(event)

/** Events after which a session may look otherwise from afar. Words as they come are not. */
const looksOtherwise: ReadonlySet<string> = new Set<StampedEvent['type']>([
  'session_start',
  'session_update',
  'usage_update',
  'agent_start',
  'agent_end',
  'turn_state',
  'tool_execution_start',
  'tool_execution_end',
  'approval_request',
  'approval_resolved',
  'queue_update',
  'compaction_start',
  'compaction_end',
  'auto_retry_start',
  'auto_retry_end',
])

const approvalOf = (record: ApprovalRecord): Approval => {
  const { status, action, by, message, updatedInput, resolvedAt, ...asked } = record
  return asked
}
