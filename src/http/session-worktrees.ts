import type { Worktree } from '../events/types.ts'
import { allSessions } from '../log/all-sessions.ts'
import type { Log } from '../log/log.ts'
import type { SessionRecord } from '../log/types.ts'
import { readWorktreeStatus } from '../worktrees/list-worktrees.ts'
import { removeWorktree, restoreWorktree } from '../worktrees/worktrees.ts'

/** What happens to the worktree of a session that is removed. */
export type WorktreeFate = 'if_clean' | 'delete' | 'keep'

/** The sessions that are not removed, by the path of their worktree. */
export const sessionsInWorktrees = async (
  log: Pick<Log, 'sessions'>,
): Promise<Map<string, SessionRecord[]>> => {
  const found = new Map<string, SessionRecord[]>()
  for (const record of await allSessions(log)) {
    const worktree = record.removedAt === undefined ? ownWorktree(record) : undefined
    if (worktree) found.set(worktree.path, [...(found.get(worktree.path) ?? []), record])
  }
  return found
}

/** Deletes the worktree of a session that is removed, unless uncommitted work would be lost. `delete` accepts that loss. */
export const releaseWorktree = async (
  log: Pick<Log, 'sessions'>,
  record: SessionRecord,
  fate: WorktreeFate = 'if_clean',
): Promise<void> => {
  const worktree = ownWorktree(record)
  if (!worktree || fate === 'keep') return
  const others = (await sessionsInWorktrees(log)).get(worktree.path) ?? []
  if (others.some(({ id }) => id !== record.id)) return
  const { state } = await readWorktreeStatus(worktree, worktree)
  if (state === 'clean' || fate === 'delete') await removeWorktree(worktree)
}

/** Makes the worktree of a restored session again, if it was deleted. */
export const bringBackWorktree = async (record: SessionRecord): Promise<void> => {
  const worktree = ownWorktree(record)
  if (worktree) await restoreWorktree(worktree)
}

/** The record of an imported session is a stranger’s: what it names is not of this machine. */
const ownWorktree = ({ worktree, imported }: SessionRecord): Worktree | undefined =>
  imported ? undefined : worktree
