import { z } from 'zod'

export const worktree = z
  .object({
    path: z.string().describe('The top directory of the worktree.'),
    branch: z.string().describe('The branch that was created for it, such as `sluice/fix-1-pi`.'),
    base: z.string().describe('The commit that it started from.'),
    project: z.string().describe('The directory that the worktree was made for.'),
  })
  .describe('A git worktree that Sluice made for one session.')

export const worktreeStatus = z
  .object({
    state: z
      .enum(['clean', 'changed', 'missing'])
      .describe(
        '`clean`: everything is committed. `changed`: it has changes that are not committed. `missing`: it was deleted.',
      ),
    changedFiles: z
      .number()
      .int()
      .nonnegative()
      .describe('Number of files that are not committed.'),
    commits: z
      .number()
      .int()
      .nonnegative()
      .describe('Number of commits of its branch that the project’s current branch does not have.'),
  })
  .describe('What deleting a worktree would lose.')

/** The fields of a session that works in a worktree of its own. */
export const worktreeFields = {
  worktree: worktree
    .optional()
    .describe('The git worktree of the session. Absent if it works in the project itself.'),
  comparisonId: z
    .string()
    .optional()
    .describe('Id of the comparison: its sessions got the same prompt in worktrees of their own.'),
}
