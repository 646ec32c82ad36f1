import type { SessionInfo } from '../../../src/api/index.ts'
import { compareSessions } from '../../../src/api/session-order.ts'

/** The sessions of one project. */
export interface ProjectGroup {
  readonly projectId: string | undefined
  readonly sessions: readonly SessionInfo[]
}

/**
 * Groups sessions by project, in the order of the overview: waiting, working, failed, then by their
 * last activity. Projects are in the order of their first session.
 */
export const groupByProject = (sessions: readonly SessionInfo[]): ProjectGroup[] => {
  const groups = Map.groupBy(sessions.toSorted(compareSessions), (session) => session.projectId)
  return [...groups].map(([projectId, members]) => ({ projectId, sessions: members }))
}
