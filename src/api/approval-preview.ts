import { z } from 'zod'
import { ruleSuggestion } from '../events/approval-rule.ts'
import { count } from './fields.ts'

export const previewHunk = z
  .object({
    oldStart: count.describe('First line in the file now.'),
    oldLines: count.describe('Number of lines in the file now.'),
    newStart: count.describe('First line in the file afterwards.'),
    newLines: count.describe('Number of lines in the file afterwards.'),
    lines: z.array(z.string()).describe('Lines, each with its sign: a blank, a minus or a plus.'),
  })
  .describe('A hunk of a unified diff.')

const unshown = z
  .record(z.string(), z.unknown())
  .describe('Arguments that are not in the fields above, by name. Show them all.')

const common = {
  approvalId: z.string().describe('Id of the approval.'),
  hash: z.string().optional().describe('The `hash` of the approval that this is a preview of.'),
  suggestions: z
    .array(ruleSuggestion)
    .describe('Rules to offer for `remember`, the narrowest first.'),
  canRewrite: z
    .boolean()
    .describe('Whether an answer can change the arguments, with `updatedInput`.'),
}

export const commandPreview = z.object({
  ...common,
  kind: z.literal('command'),
  command: z.string().describe('The shell command, whole.'),
  cwd: z
    .string()
    .optional()
    .describe('Directory that the command starts in. Absent if the agent’s shell keeps its own.'),
  unshown,
})

export const editPreview = z.object({
  ...common,
  kind: z.literal('edit'),
  path: z.string().describe('Path of the file, as the agent names it.'),
  realPath: z
    .string()
    .optional()
    .describe('Where the path leads. Present if symbolic links lead elsewhere.'),
  isNewFile: z.boolean().describe('True if there is no such file yet.'),
  hunks: z
    .array(previewHunk)
    .describe('What changes, compared with the file on disk. Empty if nothing does.'),
  unshown,
})

export const argumentsPreview = z.object({
  ...common,
  kind: z.literal('arguments'),
  args: z.unknown().optional().describe('All arguments. Show them all.'),
  note: z.string().optional().describe('Why no diff is drawn, for a tool that changes a file.'),
})

export const approvalPreview = z
  .discriminatedUnion('kind', [commandPreview, editPreview, argumentsPreview])
  .describe(
    'Response of `GET approvals/:id/preview`: what an approval would allow. `command`: a shell command. `edit`: a change to a file, as a diff against the file on disk. `arguments`: everything else.',
  )
