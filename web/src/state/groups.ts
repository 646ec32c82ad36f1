import type { SessionInfo } from '../../../src/api/index.ts'

/** The sessions of one project. */
export interface ProjectGroup {
  readonly projectId: string | undefined
  readonly sessions: readonly SessionInfo[]
}

/**
 * Groups sessions by project. Sessions with pending approvals come first, then those that changed last;
 * projects are in the order of their first session.
 */
export const groupByProject = (sessions: readonly SessionInfo[]): ProjectGroup[] => {
  const sorted = sessions.toSorted(
    (left, right) => needsPerson(right) - needsPerson(left) || right.updatedAt - left.updatedAt,
  )
  const groups = Map.groupBy(sorted, (session) => session.projectId)
  return [...groups].map(([projectId, members]) => ({ projectId, sessions: members }))
}

const needsPerson = ({ pendingApprovals = 0 }: SessionInfo): number =>
  pendingApprovals > 0 ? 1 : 0
