import type { SessionInfo } from './types.ts'

/**
 * The order of an overview: sessions that wait for a person, then those that work, then those whose
 * last run failed, then the others. Among equals, the one with the latest activity comes first.
 */
export const compareSessions = (left: SessionInfo, right: SessionInfo): number =>
  rankOf(left) - rankOf(right) || right.lastActivity - left.lastActivity

/** Whether a session waits for a person, works, or failed in its last run. */
export const isActiveSession = (session: SessionInfo): boolean => rankOf(session) < restingRank

const restingRank = 3

const rankOf = ({ pendingApprovals = 0, state, activity, watched }: SessionInfo): number => {
  const outside = watched?.presence?.state
  if (pendingApprovals > 0 || outside === 'waiting') return 0
  // A killed agent leaves its run open.
  if (outside === 'working' || (state === 'running' && outside !== 'gone')) return 1
  return activity?.kind === 'failed' ? 2 : restingRank
}
