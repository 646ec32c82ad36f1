import type { SessionInfo } from '../../../src/api/index.ts'
import { compareSessions, isActiveSession } from '../../../src/api/session-order.ts'

/** The sessions of one project. */
export interface ProjectGroup {
  readonly projectId: string | undefined
  readonly sessions: readonly SessionInfo[]
}

/** Sessions in the order in which they are listed. */
export interface SessionGroups {
  /** Those that wait for a person, then those that work, then those that failed; of all projects. */
  readonly active: readonly SessionInfo[]
  /** The others by project. Sessions and projects with the latest activity come first. */
  readonly projects: readonly ProjectGroup[]
}

/** Groups sessions: what is going on comes before what rests, however long the lists are. */
export const groupSessions = (sessions: readonly SessionInfo[]): SessionGroups => {
  const sorted = sessions.toSorted(compareSessions)
  const resting = sorted.filter((session) => !isActiveSession(session))
  const groups = Map.groupBy(resting, (session) => session.projectId)
  return {
    active: sorted.filter(isActiveSession),
    projects: [...groups].map(([projectId, members]) => ({ projectId, sessions: members })),
  }
}
