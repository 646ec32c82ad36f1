import type { SessionInfo } from '../../../src/api/index.ts'

/** The sessions of one project. */
export interface ProjectGroup {
  readonly projectId: string | undefined
  readonly sessions: readonly SessionInfo[]
}

/** Sessions by project: those that need a person first, then those that changed last; so are the projects. */
export const groupByProject = (sessions: readonly SessionInfo[]): ProjectGroup[] => {
  const sorted = sessions.toSorted(
    (left, right) => needOf(right) - needOf(left) || right.updatedAt - left.updatedAt,
  )
  const groups = Map.groupBy(sorted, (session) => session.projectId)
  return [...groups].map(([projectId, members]) => ({ projectId, sessions: members }))
}

const needOf = ({ pendingApprovals = 0 }: SessionInfo): number => (pendingApprovals > 0 ? 1 : 0)
