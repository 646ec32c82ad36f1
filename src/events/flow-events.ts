import { z } from 'zod'
import { defineEvent } from './define-event.ts'
import { keptFrom } from './kept-from.ts'
import { retryReasons } from './retry-reasons.ts'
import { usage } from './usage.ts'

export const queueItem = z
  .strictObject({
    id: z
      .string()
      .optional()
      .describe(
        'Id of the message: later, the `commandId` of its message. Absent if the agent queued it by itself.',
      ),
    kind: z
      .enum(['steer', 'follow_up'])
      .describe('`steer`: the agent reads it as soon as it can. `follow_up`: after the run.'),
    text: z.string().describe('Text of the message.'),
    images: z.number().int().positive().optional().describe('How many images it has.'),
    files: z.array(z.string()).optional().describe('Names of the files that it has.'),
    by: z.string().optional().describe('Who sent it.'),
    state: z
      .enum(['waiting', 'sent'])
      .describe(
        '`waiting`: Sluice has it, and it can be edited, removed and sent. `sent`: the agent has it and has not read it; it can be removed if the agent gives it back.',
      ),
  })
  .describe('A message that waits to be delivered to the agent.')

export const queued = z
  .strictObject({
    steering: z.array(z.string()).describe('Messages to deliver as soon as possible.'),
    followUp: z.array(z.string()).describe('Messages to deliver when the run is over.'),
    items: z
      .array(queueItem)
      .optional()
      .describe(
        'The same messages with their ids, in the order of delivery. Absent if the queue is empty, and in events of earlier versions and of `sluice decode`.',
      ),
  })
  .describe('Messages that wait to be delivered to the agent.')

const retrySource = z
  .literal('compaction')
  .optional()
  .describe('Present if the failed model call was that of a compaction.')

/** Words of an older log may be others, so the word is not an enumeration. */
export const retryFields = {
  reason: z.string().describe(
    `Why the model call failed, the same words for all agents: ${Object.keys(retryReasons)
      .map((word) => `\`${word}\``)
      .join(', ')}.`,
  ),
  rawReason: z
    .string()
    .optional()
    .describe('Why the model call failed, in the agent’s own words. Absent if it gives no reason.'),
}

export const flowEvents = [
  defineEvent(
    'queue_update',
    'The queue of messages for the agent changed. Replaces the previous queue.',
    { queued },
  ),
  defineEvent('compaction_start', 'The agent starts to compact its context into a summary.', {
    reason: z
      .string()
      .optional()
      .describe('What triggered the compaction: `manual`, `threshold` or `overflow`.'),
  }),
  defineEvent(
    'compaction_end',
    'The compaction ended. If it succeeded, the model sees a summary instead of the earlier messages. Readers still have them: see `outOfContext` in the snapshot.',
    {
      reason: z.string().optional().describe('What triggered the compaction.'),
      summary: z
        .string()
        .optional()
        .describe('Text of the summary. Absent if the compaction failed.'),
      tokensBefore: z.number().optional().describe('Tokens in the context before the compaction.'),
      tokensAfter: z.number().optional().describe('Tokens in the context after the compaction.'),
      aborted: z.boolean().optional().describe('True if the compaction was stopped.'),
      errorMessage: z
        .string()
        .optional()
        .describe('Error message for people, if the compaction failed.'),
      usage: usage.optional().describe('Usage of the model call that wrote the summary.'),
      keptFrom: keptFrom.optional(),
    },
  ),
  defineEvent('auto_retry_start', 'The agent will retry a failed model call.', {
    attempt: z.number().describe('Number of this retry, starting at 1.'),
    delayMs: z.number().describe('How long the agent waits before the retry, in milliseconds.'),
    ...retryFields,
    maxAttempts: z.number().optional().describe('Maximum number of retries.'),
    source: retrySource,
  }),
  defineEvent('auto_retry_end', 'The agent stops retrying.', {
    success: z.boolean().optional().describe('True if the last retry succeeded.'),
    attempt: z.number().optional().describe('Number of retries that were made.'),
    finalError: z.string().optional().describe('Error of the last retry.'),
    source: retrySource,
  }),
] as const
