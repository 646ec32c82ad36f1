import { z } from 'zod'
import { approvalKind } from '../events/tool-events.ts'
import { time } from './fields.ts'

export const activity = z
  .object({
    kind: z
      .enum(['idle', 'thinking', 'tool', 'approval', 'retrying', 'compacting', 'failed'])
      .describe('`approval`: a person must decide. `failed`: the last run failed.'),
    toolName: z.string().optional().describe('Name of the tool that runs or needs an approval.'),
    approvalKind: approvalKind
      .optional()
      .describe('What a person must decide. Only if `kind` is `approval`.'),
    since: time('When the activity started').optional(),
    detail: z.string().optional().describe('Why the run failed or is retried, for people.'),
  })
  .describe('What a session is doing now.')
