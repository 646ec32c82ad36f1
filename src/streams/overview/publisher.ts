import type { OverviewEvent, OverviewTotals } from '../../api/types.ts'
import type { SessionRecord } from '../../log/types.ts'
import { noticeOf } from '../fan-out/frame.ts'
import { type SessionSummary, sessionInfoOf } from './summaries.ts'

/**
 * Publishes changes of the overview to its listeners, and leaves out what they were sent already.
 * Used by the overview feed.
 */
export interface OverviewPublisher {
  /** Adds a listener. Returns a function that removes it. */
  subscribe(listener: OverviewListener): () => void
  hasListeners(): boolean
  /** Notes that new listeners get these sessions in their first frame. */
  markSent(summaries: readonly SessionSummary[]): void
  /** Publishes a frame to all listeners. */
  publish(frame: string, sessionId?: string): void
  publishCreated(record: SessionRecord): void
  /** Publishes a session if it differs from what listeners were sent last. */
  publishUpdated(summary: SessionSummary): void
  publishRemoved(sessionId: string): void
  /** Forgets what listeners were sent about a session that does not exist any more. */
  forget(sessionId: string): void
  /** Publishes totals if they differ from the last ones. */
  publishTotals(totals: OverviewTotals): void
}

/**
 * Receives frames of the overview. `sessionId` is present if readers of that session get the same
 * event among its own.
 */
export type OverviewListener = (frame: string, sessionId?: string) => void

export const createOverviewPublisher = (): OverviewPublisher => {
  const listeners = new Set<OverviewListener>()
  /** The last `session_updated` frame of each session. */
  const sent = new Map<string, string>()
  let sentTotals = ''

  const publish = (frame: string, sessionId?: string): void => {
    for (const listener of listeners) listener(frame, sessionId)
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    hasListeners: () => listeners.size > 0,
    markSent(summaries) {
      for (const summary of summaries)
        if (!sent.has(summary.record.id)) sent.set(summary.record.id, updateFrame(summary))
    },
    publish,
    publishCreated(record) {
      sent.set(record.id, updateFrame({ record }))
      publish(overviewFrame({ type: 'session_created', session: sessionInfoOf(record, undefined) }))
    },
    publishUpdated(summary) {
      const { id } = summary.record
      const before = sent.get(id)
      const frame = updateFrame(summary)
      sent.set(id, frame)
      // A session that was never sent is part of an overview that is about to be.
      if (before !== undefined && before !== frame) publish(frame)
    },
    publishRemoved(sessionId) {
      sent.delete(sessionId)
      publish(overviewFrame({ type: 'session_removed', sessionId }))
    },
    forget: (sessionId) => void sent.delete(sessionId),
    publishTotals(totals) {
      const frame = overviewFrame({ type: 'totals', totals })
      if (frame !== sentTotals) publish(frame)
      sentTotals = frame
    },
  }
}

/** The frame of an event of the overview. */
export const overviewFrame = (event: OverviewEvent): string => noticeOf(event)

const updateFrame = ({ record, live }: SessionSummary): string =>
  overviewFrame({ type: 'session_updated', session: sessionInfoOf(record, live) })
