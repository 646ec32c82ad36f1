import { z } from 'zod'
import { event } from './define.ts'
import { usage } from './usage.ts'

export const queued = z.strictObject({
  steering: z.array(z.string()).describe('Delivered as soon as possible.'),
  followUp: z.array(z.string()).describe('Delivered when the run is done.'),
})

export const flowEvents = [
  event('queue_update', 'What waits to be delivered to the agent; replaces the last one.', {
    queued,
  }),
  event('compaction_start', 'The agent begins to summarise its context.', {
    reason: z.string().optional().describe('What set it off: manual, threshold, overflow.'),
  }),
  event('compaction_end', 'The summary stands in for what came before, or the attempt failed.', {
    reason: z.string().optional().describe('What set it off.'),
    summary: z.string().optional().describe('Absent when it failed.'),
    tokensBefore: z.number().optional().describe('How full the context was.'),
    tokensAfter: z.number().optional().describe('How full it is now.'),
    aborted: z.boolean().optional().describe('A person stopped it.'),
    errorMessage: z.string().optional().describe('How it failed, for people.'),
    usage: usage.optional().describe('What the summary itself cost.'),
  }),
  event('auto_retry_start', 'A failed model call will be tried again.', {
    attempt: z.number().describe('Which retry it is, from 1.'),
    delayMs: z.number().describe('How long the agent waits before it.'),
    reason: z.string().describe('What failed, in the agent’s own words.'),
    maxAttempts: z.number().optional().describe('How many the agent will make.'),
    source: z.literal('compaction').optional().describe('It is the summary that is retried.'),
  }),
  event('auto_retry_end', 'The retries are over.', {
    success: z.boolean().optional().describe('Whether the last one worked.'),
    attempt: z.number().optional().describe('How many it took.'),
    finalError: z.string().optional().describe('How the last one failed.'),
    source: z.literal('compaction').optional().describe('It was the summary that was retried.'),
  }),
] as const
