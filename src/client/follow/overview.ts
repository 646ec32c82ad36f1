import type { Approval, OverviewTotals, SessionInfo } from '../../api/types.ts'
import type { StampedEvent } from '../../events/types.ts'
import type { ManyEvent } from '../stream-events.ts'

/** All sessions, pending approvals and totals. Immutable: each change makes a new one. */
export interface Overview {
  /** Whether the server has sent it: until then it is empty. */
  readonly isLoaded: boolean
  /** Newest first. */
  readonly sessions: readonly SessionInfo[]
  /** Oldest first. */
  readonly approvals: readonly Approval[]
  /** Null until the server has sent them. */
  readonly totals: OverviewTotals | null
  /** Why the server works only in part; null when it works. */
  readonly degraded: string | null
}

export const emptyOverview: Overview = {
  isLoaded: false,
  sessions: [],
  approvals: [],
  totals: null,
  degraded: null,
}

/** The overview after one event; the same object when the event does not change it. */
export const overviewAfter = (overview: Overview, event: ManyEvent): Overview => {
  switch (event.type) {
    case 'overview': {
      const { type, ...overview } = event
      // If something is wrong, `degraded` follows.
      return { isLoaded: true, ...overview, degraded: null }
    }
    case 'degraded':
      return { ...overview, degraded: event.reason }
    case 'recovered':
      return { ...overview, degraded: null }
    case 'session_created':
      // First, whatever its time says: the clock of the server can go back.
      return { ...overview, sessions: withNewSession(overview.sessions, event.session) }
    case 'session_updated':
      return { ...overview, sessions: withSession(overview.sessions, event.session) }
    case 'session_removed':
      return withoutSession(overview, event.sessionId)
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

const withNewSession = (
  sessions: readonly SessionInfo[],
  session: SessionInfo,
): readonly SessionInfo[] => [session, ...sessions.filter((each) => each.id !== session.id)]

const withSession = (
  sessions: readonly SessionInfo[],
  session: SessionInfo,
): readonly SessionInfo[] => {
  const index = sessions.findIndex((each) => each.id === session.id)
  if (index !== -1) return sessions.with(index, session)
  const older = sessions.findIndex((each) => each.createdAt <= session.createdAt)
  return sessions.toSpliced(older === -1 ? sessions.length : older, 0, session)
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
