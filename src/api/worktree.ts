import { z } from 'zod'
import { worktreeStatus } from '../events/worktree.ts'

export const worktreeInfo = z
  .object({
    path: z.string().describe('The top directory of the worktree.'),
    branch: z.string().optional().describe('Its branch. Absent if an agent left the branch.'),
    projectId: z.string().describe('Id of the project that it was made for.'),
    project: z.string().describe('The directory of that project.'),
    sessionIds: z
      .array(z.string())
      .describe('Sessions that work in it. Empty if all of them were deleted.'),
    ...worktreeStatus.shape,
  })
  .describe('A git worktree that Sluice made.')

export const worktreeList = z
  .object({ worktrees: z.array(worktreeInfo).describe('Worktrees, by project and name.') })
  .describe('Response of `GET worktrees`.')

export const worktreeQuery = z
  .strictObject({
    projectId: z.string().max(200).optional().describe('Only worktrees of this project.'),
  })
  .describe('Query of `GET worktrees`.')

export const worktreeRemoval = z
  .strictObject({
    path: z
      .string()
      .min(1)
      .max(4096)
      .describe('The path of the worktree, as `GET worktrees` has it.'),
    force: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true`: also with changes that are not committed, which are lost.'),
  })
  .describe('Query of `DELETE worktrees`.')

export const sessionRemoval = z
  .strictObject({
    worktree: z
      .enum(['if_clean', 'delete', 'keep'])
      .optional()
      .describe(
        'What happens to the git worktree of the session. `if_clean`: it is deleted if everything in it is committed. `delete`: it is deleted with changes that are not committed, and restoring the session does not bring them back. `keep`: it stays. A worktree that another session uses stays in any case. Default: `if_clean`.',
      ),
  })
  .describe('Query of `DELETE sessions/:id`.')
