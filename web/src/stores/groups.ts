import type { Session } from '../../../src/api/index.ts'

/** The sessions of one project. */
export interface ProjectGroup {
  readonly projectId: string | undefined
  readonly sessions: readonly Session[]
}

/** Sessions by project, those that changed last first; so are the projects. */
export const groupsOf = (sessions: readonly Session[]): ProjectGroup[] => {
  const sorted = sessions.toSorted((left, right) => right.updatedAt - left.updatedAt)
  const groups = Map.groupBy(sorted, (session) => session.projectId)
  return [...groups].map(([projectId, members]) => ({ projectId, sessions: members }))
}
