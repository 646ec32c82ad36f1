import { compareSessions } from '../../api/session-order.ts'
import type { Approval, OverviewTotals } from '../../api/types.ts'
import type { LoopInfo, StampedEvent } from '../../events/types.ts'
import { type DeletedUsage, isWithin, type Log, type SessionRange } from '../../log/log.ts'
import { loopSummaryOf } from '../../log/loop-info.ts'
import type { ApprovalRecord } from '../../log/types.ts'
import type { SessionLifecycleEvent } from '../../session/registry/sessions.ts'
import { noticeOf } from '../fan-out/frame.ts'
import {
  createOverviewPublisher,
  type OverviewListener,
  type OverviewPublisher,
  overviewFrame,
  type VisibleRange,
} from './publisher.ts'
import {
  createSummaries,
  type SessionSummary,
  type Summaries,
  type SummariesOptions,
  sessionInfoOf,
} from './summaries.ts'
import { overviewTotalsOf, usagesIn } from './totals.ts'

/**
 * What all sessions look like from outside: which there are, what they do, what waits for a person.
 * `streams.ts` passes every event and every change of a session on; multiplexed streams listen.
 */
export interface OverviewFeed {
  /** Loads the overview of all sessions or of some; from then on, changes go to the listener. */
  open(listener: OverviewListener, range?: SessionRange): Promise<OpenOverview>
  totals(): Promise<OverviewTotals>
  /** Called with every published event. */
  onEvent(event: StampedEvent): void
  /** Publishes that a session was created, updated or removed. */
  publishLifecycle(event: SessionLifecycleEvent): void
  /** Publishes a loop that was created or changed. */
  publishLoop(loop: LoopInfo): void
  /** Whether somebody has opened the overview, so that it needs the events of all sessions. */
  isStarted(): boolean
  close(): void
}

export interface OpenOverview {
  /** The frame with the whole overview. */
  frame: string
  /** Removes the listener. */
  close(): void
}

export interface OverviewOptions extends SummariesOptions {
  /** Changes within this time are published as one. */
  gatherMs?: number
}

/** The most sessions in one overview. Totals count all. */
const sessionLimit = 500
/** How long an overview waits for summaries made from the log. Later ones follow as updates. */
const patienceMs = 250

export const createOverviewFeed = (options: OverviewOptions): OverviewFeed => {
  const { log, onError, gatherMs = 200 } = options
  const summaries = createSummaries(options)
  const publisher = createOverviewPublisher()
  /** Sessions whose summaries may have changed since they were published. */
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  const publishChanges = async (): Promise<void> => {
    const ids = [...changed]
    changed.clear()
    for (const id of ids) {
      const summary = await summaries.refresh(id)
      if (summary) publisher.publishUpdated(summary)
      else publisher.forget(id)
    }
    const counted = await countedIn(log, summaries)
    publisher.publishTotals((range) => totalsWithin(summaries, counted, range))
  }

  const publishSoon = (): void => {
    if (!publisher.hasListeners()) return
    timer ??= setTimeout(() => {
      timer = undefined
      publishChanges().catch(onError)
    }, gatherMs).unref()
  }

  const markChanged = (sessionId: string): void => {
    if (!summaries.isStarted()) return
    changed.add(sessionId)
    publishSoon()
  }

  const load = async (): Promise<void> => {
    await summaries.load(patienceMs, markChanged)
    await publishChanges()
  }

  return {
    async open(listener, range) {
      await load()
      const close = publisher.subscribe(listener, range && visibleRange(summaries, range))
      try {
        return { frame: await openingFrame(log, summaries, publisher, range), close }
      } catch (cause) {
        close()
        throw cause
      }
    },
    async totals() {
      await load()
      return totalsWithin(summaries, await countedIn(log, summaries))
    },
    onEvent(event) {
      if (!changesSummary.has(event.type)) return
      if (event.type === 'approval_request' || event.type === 'approval_resolved')
        publisher.publishEvent(noticeOf(event), event.sessionId)
      markChanged(event.sessionId)
    },
    publishLifecycle(event) {
      // A session that is restored after its removal is new to listeners.
      const isRestored =
        event.type === 'session_updated' &&
        summaries.isStarted() &&
        summaries.find(event.session.id) === undefined
      summaries.onLifecycle(event)
      if (event.type === 'session_removed') publisher.publishRemoved(event.sessionId)
      if (event.type === 'session_created' || isRestored) publisher.publishCreated(event.session)
      if (event.type === 'session_updated') markChanged(event.session.id)
      publishSoon()
    },
    publishLoop: publisher.publishLoop,
    isStarted: summaries.isStarted,
    close: () => clearTimeout(timer),
  }
}

const pendingApprovals = (log: Log): Promise<ApprovalRecord[]> =>
  log.approvals.list({ status: 'pending' })

/** What totals count beside the sessions that people see. */
interface Counted {
  pending: readonly ApprovalRecord[]
  removed: readonly SessionSummary[]
  deletedUsage: readonly DeletedUsage[]
}

const countedIn = async (log: Log, summaries: Summaries): Promise<Counted> => ({
  pending: await pendingApprovals(log),
  removed: await summaries.removed(),
  deletedUsage: await log.ledger.deletedUsage(),
})

const totalsWithin = (
  summaries: Summaries,
  { pending, removed, deletedUsage }: Counted,
  range?: SessionRange,
): OverviewTotals =>
  overviewTotalsOf(
    summariesWithin(summaries, range),
    approvalsWithin(summaries, pending, range).length,
    [
      ...usagesIn(removed.filter(({ record }) => !range || isWithin(record, range))),
      ...deletedUsage
        .filter(({ projectId = '' }) => !range || range.projects.includes(projectId))
        .map(({ usage }) => usage),
    ],
  )

const summariesWithin = (summaries: Summaries, range?: SessionRange): SessionSummary[] => {
  const all = summaries.all()
  return range ? all.filter(({ record }) => isWithin(record, range)) : all
}

const approvalsWithin = (
  summaries: Summaries,
  pending: readonly ApprovalRecord[],
  range?: SessionRange,
): readonly ApprovalRecord[] => {
  if (!range) return pending
  return pending.filter(({ sessionId }) => {
    const record = summaries.find(sessionId)?.record
    return record !== undefined && isWithin(record, range)
  })
}

/** What a listener sees. It remembers its sessions: of one that was removed, the record is gone. */
const visibleRange = (summaries: Summaries, range: SessionRange): VisibleRange => {
  const visible = new Set(summariesWithin(summaries, range).map(({ record }) => record.id))
  return {
    range,
    isVisible(sessionId) {
      const record = summaries.find(sessionId)?.record
      if (record && isWithin(record, range)) visible.add(sessionId)
      return visible.has(sessionId)
    },
  }
}

const openingFrame = async (
  log: Log,
  summaries: Summaries,
  publisher: OverviewPublisher,
  range?: SessionRange,
): Promise<string> => {
  const counted = await countedIn(log, summaries)
  const pending = approvalsWithin(summaries, counted.pending, range)
  const sessions = summariesWithin(summaries, range)
  publisher.markSent(summaries.all())
  return overviewFrame({
    type: 'overview',
    sessions: sessions
      .map(({ record, live }) => sessionInfoOf(record, live))
      .sort(compareSessions)
      .slice(0, sessionLimit),
    approvals: pending.map(approvalOf),
    loops: await loopsIn(log, range),
    totals: totalsWithin(summaries, counted, range),
  })
}

/** The most loops in one overview. */
const loopLimit = 50

/** The loops that are not done, and the last ones that are, newest first. */
const loopsIn = async (log: Log, range?: SessionRange): Promise<LoopInfo[]> => {
  const loops = (await log.loops.list()).filter(
    ({ projectId = '' }) => !range || range.projects.includes(projectId),
  )
  const latest = new Set(loops.slice(-loopLimit))
  return loops
    .filter((loop) => loop.state !== 'done' || latest.has(loop))
    .map(loopSummaryOf)
    .reverse()
}

/** A pending approval as clients see it: without the fields of a decision. */
const approvalOf = (record: ApprovalRecord): Approval => {
  const { status, action, by, message, updatedInput, answers, resolvedAt, ...request } = record
  return request
}

/** Events that may change the summary of a session. Streamed text does not. */
const changesSummary: ReadonlySet<string> = new Set<StampedEvent['type']>([
  'session_start',
  'session_update',
  'usage_update',
  'budget_update',
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
