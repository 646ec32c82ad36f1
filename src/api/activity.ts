import { z } from 'zod'
import { time } from './fields.ts'

/** What a session is doing, in one word for people. */
export const activity = z.object({
  kind: z
    .enum(['idle', 'thinking', 'tool', 'approval', 'retrying', 'compacting', 'failed'])
    .describe('`approval` waits for a person; `failed` is how the last run ended.'),
  toolName: z.string().optional().describe('Which tool runs, or is asked about.'),
  since: time.optional().describe('When that began, in ms since 1970, where it is known.'),
  detail: z.string().optional().describe('Why it failed or is retried, for people.'),
})
