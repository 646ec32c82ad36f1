import type { Approval, OverviewTotals, SessionInfo } from '../../api/types.ts'
import type { StampedEvent } from '../../events/types.ts'
import type { ManyEvent } from '../stream-events.ts'

/** All sessions, and what waits for a person. Never changed: each event gives a new one. */
export interface Overview {
  /** Whether the server has been heard of: until then there is nothing here. */
  readonly isLoaded: boolean
  /** Newest first. */
  readonly sessions: readonly SessionInfo[]
  /** Oldest first. */
  readonly approvals: readonly Approval[]
  readonly totals: OverviewTotals | null
}

export const emptyOverview: Overview = {
  isLoaded: false,
  sessions: [],
  approvals: [],
  totals: null,
}

/** The overview after one event; the same one if the event says nothing of it. */
export const overviewAfter = (overview: Overview, event: ManyEvent): Overview => {
  switch (event.type) {
    case 'overview': {
      const { type, ...all } = event
      return { isLoaded: true, ...all }
    }
    case 'session_created':
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

const withSession = (
  sessions: readonly SessionInfo[],
  session: SessionInfo,
): readonly SessionInfo[] => {
  const place = sessions.findIndex((each) => each.id === session.id)
  if (place !== -1) return sessions.with(place, session)
  const older = sessions.findIndex((each) => each.createdAt <= session.createdAt)
  return sessions.toSpliced(older === -1 ? sessions.length : older, 0, session)
}

const withoutSession = (overview: Overview, sessionId: string): Overview => ({
  ...overview,
  sessions: overview.sessions.filter((each) => each.id !== sessionId),
  approvals: overview.approvals.filter((each) => each.sessionId !== sessionId),
})

type Request = Extract<StampedEvent, { type: 'approval_request' }>

/** A request without a deadline was decided unasked: nobody is waited for. */
const withApproval = (approvals: readonly Approval[], event: Request): readonly Approval[] => {
  const { type, seq, timestamp, deadline, ...asked } = event
  if (deadline === undefined) return approvals
  const others = approvals.filter((each) => each.approvalId !== event.approvalId)
  return [...others, { ...asked, deadline, createdAt: timestamp }]
}

const withoutApproval = (overview: Overview, approvalId: string): Overview => {
  const approvals = overview.approvals.filter((each) => each.approvalId !== approvalId)
  return approvals.length === overview.approvals.length ? overview : { ...overview, approvals }
}
