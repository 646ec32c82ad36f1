import { compareSessions } from '../../api/session-order.ts'
import type { Approval, OverviewTotals, SessionInfo } from '../../api/types.ts'
import type { LoopInfo, StampedEvent } from '../../events/types.ts'
import type { ManyEvent } from '../stream-events.ts'

/** All sessions, pending approvals and totals. Immutable: each change makes a new one. */
export interface Overview {
  /** Whether the server has sent it: until then it is empty. */
  readonly isLoaded: boolean
  /** In the order of `compareSessions`: waiting, working, failed, then by their last activity. */
  readonly sessions: readonly SessionInfo[]
  /** Oldest first. */
  readonly approvals: readonly Approval[]
  /** Loops that go on, and the last ones that are over; newest first. */
  readonly loops: readonly LoopInfo[]
  /** Null until the server has sent them. */
  readonly totals: OverviewTotals | null
  /** Why the server works only in part; null when it works. */
  readonly degraded: string | null
}

export const emptyOverview: Overview = {
  isLoaded: false,
  sessions: [],
  approvals: [],
  loops: [],
  totals: null,
  degraded: null,
}

/** The overview after one event; the same object when the event does not change it. */
export const overviewAfter = (overview: Overview, event: ManyEvent): Overview => {
  switch (event.type) {
    case 'overview': {
      const { type, loops = [], ...overview } = event
      // If something is wrong, `degraded` follows.
      return { isLoaded: true, ...overview, loops, degraded: null }
    }
    case 'degraded':
      return { ...overview, degraded: event.reason }
    case 'recovered':
      return { ...overview, degraded: null }
    case 'session_created':
    case 'session_updated':
      return { ...overview, sessions: withSession(overview.sessions, event.session) }
    case 'session_removed':
      return withoutSession(overview, event.sessionId)
    case 'loop_updated':
      return { ...overview, loops: withLoop(overview.loops, event.loop) }
    case 'totals':
      return { ...overview, totals: event.totals }
    case 'approval_request':
      return { ...overview, approvals: withApproval(overview.approvals, event) }
    case 'approval_resolved':
      return withoutApproval(overview, event.approvalId)
    default:
      return overview
  }
}

const withSession = (
  sessions: readonly SessionInfo[],
  session: SessionInfo,
): readonly SessionInfo[] => {
  const others = sessions.filter((each) => each.id !== session.id)
  const later = others.findIndex((each) => compareSessions(each, session) >= 0)
  return others.toSpliced(later === -1 ? others.length : later, 0, session)
}

const withLoop = (loops: readonly LoopInfo[], loop: LoopInfo): readonly LoopInfo[] => {
  const at = loops.findIndex(({ id }) => id === loop.id)
  return at === -1 ? [loop, ...loops] : loops.with(at, loop)
}

const withoutSession = (overview: Overview, sessionId: string): Overview => ({
  ...overview,
  sessions: overview.sessions.filter((each) => each.id !== sessionId),
  approvals: overview.approvals.filter((each) => each.sessionId !== sessionId),
})

type ApprovalRequest = Extract<StampedEvent, { type: 'approval_request' }>

/** A request without a hash was recorded by no session: nobody can answer it. */
const withApproval = (
  approvals: readonly Approval[],
  event: ApprovalRequest,
): readonly Approval[] => {
  const { type, seq, timestamp, ...request } = event
  if (request.hash === undefined) return approvals
  const others = approvals.filter((each) => each.approvalId !== event.approvalId)
  return [...others, { ...request, createdAt: timestamp }]
}

const withoutApproval = (overview: Overview, approvalId: string): Overview => {
  const approvals = overview.approvals.filter((each) => each.approvalId !== approvalId)
  return approvals.length === overview.approvals.length ? overview : { ...overview, approvals }
}
