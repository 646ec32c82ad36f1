import { z } from 'zod'
import { time } from './fields.ts'

/** One file that is not as it was. */
export const fileDiff = z.object({
  path: z.string().describe('Relative to the directory, with forward slashes.'),
  oldPath: z.string().optional().describe('Where it was, if it was moved.'),
  status: z
    .enum(['added', 'modified', 'deleted', 'renamed', 'written'])
    .describe('`written`: as a whole by a tool, and whether it was there before is not known.'),
  kind: z
    .enum(['text', 'binary', 'huge'])
    .describe('Only text has a diff; the others are named without one.'),
  additions: z.number().int().nonnegative().optional().describe('Lines, of text only.'),
  deletions: z.number().int().nonnegative().optional().describe('Lines, of text only.'),
  size: z.number().int().nonnegative().optional().describe('Its bytes now, where they count.'),
  diff: z.string().optional().describe('Unified, of text only.'),
})

/** Why git did not tell what changed. Further ones may come. */
export const turnDiffReason = z.enum([
  'no_work_tree',
  'git_missing',
  'git_failed',
  'timed_out',
  'too_many_files',
  'base_lost',
])

/** `GET sessions/:id/turn-diff`: what changed in the directory since the last agent_start. */
export const turnDiff = z.object({
  sessionId: z.string(),
  since: time.nullable().describe('The last agent_start, in ms since 1970; null before the first.'),
  source: z
    .enum(['git', 'tools', 'none'])
    .describe('The work tree itself, the tools’ own edits, or nothing to compare with.'),
  reason: turnDiffReason
    .optional()
    .describe(
      'With `tools`: why not git. No work tree, no git, git failed or was too slow, too much differs, or the state at the start is no longer known.',
    ),
  files: z.array(fileDiff),
  truncated: z.boolean().optional().describe('There are more files or diffs than are told.'),
})
