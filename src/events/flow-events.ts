import { z } from 'zod'
import { event } from './define.ts'
import { usage } from './usage.ts'

export const queued = z.strictObject({
  steering: z.array(z.string()).describe('Delivered as soon as possible.'),
  followUp: z.array(z.string()).describe('Delivered when the run is done.'),
})
export type Queued = z.infer<typeof queued>

export const flowEvents = [
  event('queue_update', 'What waits to be delivered to the agent; replaces the last one.', {
    queued,
  }),
  event('compaction_start', 'The agent begins to summarise its context.', {
    reason: z.string().optional().describe('manual, threshold, overflow.'),
  }),
  event('compaction_end', 'The summary stands in for what came before, or the attempt failed.', {
    reason: z.string().optional(),
    summary: z.string().optional(),
    tokensBefore: z.number().optional(),
    tokensAfter: z.number().optional(),
    aborted: z.boolean().optional(),
    errorMessage: z.string().optional(),
    usage: usage.optional(),
  }),
  event('auto_retry_start', 'A failed model call will be tried again.', {
    attempt: z.number(),
    delayMs: z.number(),
    reason: z.string(),
    maxAttempts: z.number().optional(),
    source: z.literal('compaction').optional().describe('It is the summary that is retried.'),
  }),
  event('auto_retry_end', 'The retries are over.', {
    success: z.boolean().optional(),
    attempt: z.number().optional(),
    finalError: z.string().optional(),
    source: z.literal('compaction').optional(),
  }),
] as const
