import { randomBytes } from 'node:crypto'
import type { NewSession } from '../../api/types.ts'
import type { Worktree } from '../../events/types.ts'
import { createWorktree, removeWorktree } from '../../worktrees/worktrees.ts'

/** Where the agent of a new session works. */
export interface Workplace {
  cwd: string
  worktree?: Worktree
}

type WorktreeWish = Pick<NewSession, 'worktree' | 'fromHead' | 'agent' | 'comparisonId'>

/** Makes the worktree that a new session wants, and deletes it again if the session is not created. */
export const inWorktree = async <Created>(
  directory: string,
  { worktree: isWanted, fromHead, agent, comparisonId }: WorktreeWish,
  create: (workplace: Workplace) => Promise<Created>,
): Promise<Created> => {
  if (!isWanted) return create({ cwd: directory })
  const prefix = comparisonId ?? randomBytes(4).toString('hex')
  const name = `${prefix}-${agent.replaceAll(/[^a-z0-9]+/g, '-')}`
  const { worktree, cwd } = await createWorktree({ directory, name, fromHead })
  try {
    return await create({ cwd, worktree })
  } catch (cause) {
    await removeWorktree(worktree)
    throw cause
  }
}
