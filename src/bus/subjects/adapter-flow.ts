import { z } from 'zod'
import { flowEvents, queued } from '../../events/flow-events.ts'
import { sessionId } from './adapter-routing.ts'
import { event } from './define.ts'

const [, compactionStart, compactionEnd, retryStart, retryEnd] = flowEvents

/** What waits, what is summarised and what is tried again. The content is optional throughout. */
export const flowSchemas = {
  auto_retry_ended: event(
    'The retries of a failed model call are over. From the event `auto_retry_end`.',
    z.object({
      eventType: z.literal('auto_retry_ended'),
      ...retryEnd.omit({ type: true }).partial().shape,
      sessionId,
    }),
  ),
  auto_retry_started: event(
    'A failed model call will be tried again. From the event `auto_retry_start`.',
    z.object({
      eventType: z.literal('auto_retry_started'),
      ...retryStart.omit({ type: true }).partial().shape,
      sessionId,
    }),
  ),
  compaction_ended: event(
    'The summary stands in for what came before, or the attempt failed. From the event `compaction_end`.',
    z.object({
      eventType: z.literal('compaction_ended'),
      ...compactionEnd.omit({ type: true }).partial().shape,
      usage: z.unknown().optional().describe('What the summary itself cost.'),
      sessionId,
    }),
  ),
  compaction_started: event(
    'The agent begins to summarise its context. From the event `compaction_start`.',
    z.object({
      eventType: z.literal('compaction_started'),
      ...compactionStart.omit({ type: true }).partial().shape,
      sessionId,
    }),
  ),
  queue_update: event(
    'What waits to be delivered to the agent; replaces the last one. From the event `queue_update`.',
    z.object({ eventType: z.literal('queue_update'), ...queued.partial().shape, sessionId }),
  ),
}
