import type { SessionInfo } from '../../../src/api/index.ts'
import type { Client } from '../../../src/client/index.ts'

/** Whether a session is the only one in a worktree with changes that are not committed. */
export const hasChangedWorktree = async (
  client: Client,
  sessions: readonly SessionInfo[],
  id: string,
): Promise<boolean> => {
  const { worktree, projectId } = sessions.find((each) => each.id === id) ?? {}
  if (!worktree || projectId === undefined) return false
  const found = (await client.worktrees.list({ projectId })).find(
    ({ path }) => path === worktree.path,
  )
  return found?.state === 'changed' && found.sessionIds.every((each) => each === id)
}
