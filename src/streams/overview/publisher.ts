import type { OverviewEvent, OverviewTotals } from '../../api/types.ts'
import type { LoopInfo } from '../../events/types.ts'
import type { SessionRange } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import { noticeOf } from '../fan-out/frame.ts'
import { type SessionSummary, sessionInfoOf } from './summaries.ts'

/**
 * Publishes changes of the overview to its listeners, and leaves out what they were sent already.
 * Used by the overview feed.
 */
export interface OverviewPublisher {
  /** Adds a listener, for all sessions or for some. Returns a function that removes it. */
  subscribe(listener: OverviewListener, range?: VisibleRange): () => void
  hasListeners(): boolean
  /** Notes that new listeners get these sessions in their first frame. */
  markSent(summaries: readonly SessionSummary[]): void
  /** Publishes an event of a session, which readers of the session get among its own events, too. */
  publishEvent(frame: string, sessionId: string): void
  publishCreated(record: SessionRecord): void
  /** Publishes a session if it differs from what listeners were sent last. */
  publishUpdated(summary: SessionSummary): void
  publishRemoved(sessionId: string): void
  /** Publishes a loop to the listeners that see its project. */
  publishLoop(loop: LoopInfo): void
  /** Forgets what listeners were sent about a session that does not exist any more. */
  forget(sessionId: string): void
  /** Publishes totals to each listener, if they differ from the last ones that it was sent. */
  publishTotals(totalsOf: (range?: SessionRange) => OverviewTotals): void
}

/**
 * Receives frames of the overview. `sessionId` is present if readers of that session get the same
 * event among its own.
 */
export type OverviewListener = (frame: string, sessionId?: string) => void

/** The part of all sessions that a listener sees. */
export interface VisibleRange {
  range: SessionRange
  /** Whether it sees a session. */
  isVisible(sessionId: string): boolean
}

interface Subscription {
  listener: OverviewListener
  visible: VisibleRange | undefined
  /** What a listener that sees only some sessions was sent last. */
  sentTotals: string
}

export const createOverviewPublisher = (): OverviewPublisher => {
  const subscriptions = new Set<Subscription>()
  /** What the listeners that see all sessions were sent last. */
  let sentTotals = ''
  /** The last `session_updated` frame of each session. */
  const sent = new Map<string, string>()

  /** Sends a frame about a session to all listeners that see the session. */
  const publish = (sessionId: string, frame: string, isInSession = false): void => {
    for (const { listener, visible } of subscriptions)
      if (!visible || visible.isVisible(sessionId))
        listener(frame, isInSession ? sessionId : undefined)
  }

  return {
    subscribe(listener, visible) {
      const subscription = { listener, visible, sentTotals: '' }
      subscriptions.add(subscription)
      return () => void subscriptions.delete(subscription)
    },
    hasListeners: () => subscriptions.size > 0,
    markSent(summaries) {
      for (const summary of summaries)
        if (!sent.has(summary.record.id)) sent.set(summary.record.id, updateFrame(summary))
    },
    publishEvent: (frame, sessionId) => publish(sessionId, frame, true),
    publishCreated(record) {
      sent.set(record.id, updateFrame({ record }))
      const session = sessionInfoOf(record, undefined)
      publish(record.id, overviewFrame({ type: 'session_created', session }))
    },
    publishUpdated(summary) {
      const { id } = summary.record
      const before = sent.get(id)
      const frame = updateFrame(summary)
      sent.set(id, frame)
      // A session that was never sent is part of an overview that is about to be.
      if (before !== undefined && before !== frame) publish(id, frame)
    },
    publishRemoved(sessionId) {
      sent.delete(sessionId)
      publish(sessionId, overviewFrame({ type: 'session_removed', sessionId }))
    },
    publishLoop(loop) {
      const frame = overviewFrame({ type: 'loop_updated', loop })
      for (const { listener, visible } of subscriptions)
        if (!visible || visible.range.projects.includes(loop.projectId ?? '')) listener(frame)
    },
    forget: (sessionId) => void sent.delete(sessionId),
    publishTotals(totalsOf) {
      const ofAll = totalsFrame(totalsOf())
      for (const subscription of subscriptions) {
        const { listener, visible } = subscription
        const frame = visible ? totalsFrame(totalsOf(visible.range)) : ofAll
        if (frame !== (visible ? subscription.sentTotals : sentTotals)) listener(frame)
        subscription.sentTotals = frame
      }
      sentTotals = ofAll
    },
  }
}

/** The frame of an event of the overview. */
export const overviewFrame = (event: OverviewEvent): string => noticeOf(event)

const totalsFrame = (totals: OverviewTotals): string => overviewFrame({ type: 'totals', totals })

const updateFrame = ({ record, live }: SessionSummary): string =>
  overviewFrame({ type: 'session_updated', session: sessionInfoOf(record, live) })
