import { z } from 'zod'
import { count, time } from './fields.ts'

const path = z.string().min(1).max(4096)

export const trustState = z
  .enum(['not_needed', 'undecided', 'changed', 'trusted', 'declined', 'too_large'])
  .describe(
    '`not_needed`: agents would load nothing. `changed`: the files changed after the decision. `declined`: a person chose to start without them. `too_large`: there are too many files to check. Agents load the files only if the state is `trusted`.',
  )

export const projectFileKind = z
  .enum(['settings', 'mcp_servers', 'hook', 'extension', 'agent', 'command', 'skill'])
  .describe('What a file is for. Settings can name hooks, which are programs that the agent runs.')

export const projectFile = z
  .object({
    path: z.string().describe('Path from the directory. It can begin with `../`.'),
    kind: projectFileKind,
    agent: z.string().describe('Name of the agent that would load the file.'),
  })
  .describe('A file of a project that an agent would load as code or settings.')

export const projectTrust = z
  .object({
    path: z.string().describe('The directory, with links resolved.'),
    state: trustState,
    hash: z
      .string()
      .optional()
      .describe('Stands for the files and their contents. Absent if there is nothing to decide.'),
    files: z
      .array(projectFile)
      .describe('The files that agents would load: at most 200, programs and settings first.'),
    fileCount: count.describe('Number of files.'),
    agents: z.array(z.string()).describe('Names of the agents that would load a file.'),
    decidedAt: time('When a person decided').optional(),
    by: z.string().optional().describe('Who decided.'),
  })
  .describe('Whether agents load the settings, hooks and extensions of a directory.')

export const trustQuery = z
  .strictObject({ path: path.describe('A directory under an allowed root.') })
  .describe('Query of `GET trust` and `DELETE trust`.')

export const trustDecision = z
  .strictObject({
    path: path.describe('A directory under an allowed root.'),
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('The `hash` of what the person saw.'),
    trusted: z.boolean().describe('False: agents start without these files.'),
  })
  .describe('Body of `POST trust`.')
