import { z } from 'zod'
import { count } from './fields.ts'

export const fileDiff = z
  .object({
    path: z.string().describe('Path relative to the working directory, with forward slashes.'),
    oldPath: z.string().optional().describe('Earlier path, if the file was renamed.'),
    status: z
      .enum(['added', 'modified', 'deleted', 'renamed', 'written'])
      .describe('`written`: a tool wrote the whole file; it is unknown if the file existed.'),
    kind: z.enum(['text', 'binary', 'huge']).describe('Kind of content. Only text has a diff.'),
    additions: count.optional().describe('Number of added lines. Only for text.'),
    deletions: count.optional().describe('Number of deleted lines. Only for text.'),
    size: count.optional().describe('Current size in bytes. Absent if it is unknown.'),
    diff: z.string().optional().describe('Unified diff. Only for text.'),
  })
  .describe('One changed file.')

export const turnDiffReason = z
  .enum(['no_work_tree', 'git_missing', 'git_failed', 'timed_out', 'too_many_files', 'base_lost'])
  .describe(
    'Why git was not used. `no_work_tree`: the directory is not a git work tree. `git_missing`: git is not installed. `git_failed`: git failed. `timed_out`: git was too slow. `too_many_files`: too many files changed. `base_lost`: the state at the start of the run is unknown. Values can be added.',
  )

export const turnDiff = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    since: z
      .number()
      .int()
      .nullable()
      .describe(
        'When the last run started, in milliseconds since 1970. Null before the first run.',
      ),
    source: z
      .enum(['git', 'tools', 'none'])
      .describe(
        '`git`: compared with the work tree. `tools`: reconstructed from the agent’s edits. `none`: there is nothing to compare with.',
      ),
    reason: turnDiffReason.optional(),
    files: z.array(fileDiff).describe('The changed files.'),
    truncated: z
      .boolean()
      .optional()
      .describe('True if there are more files or diffs than listed.'),
  })
  .describe('Response of `GET sessions/:id/turn-diff`: the files that changed in the last run.')
