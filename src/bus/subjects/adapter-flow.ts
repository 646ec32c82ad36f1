import { z } from 'zod'
import { flowEvents, queued } from '../../events/flow-events.ts'
import { turnState } from '../../events/run-events.ts'
import { sessionId } from './adapter-fields.ts'
import { event } from './define.ts'

const [, compactionStart, compactionEnd, retryStart, retryEnd] = flowEvents

const turnChange = z.object({
  adapterId: z.string().describe('Id of the adapter that emits this.'),
  agentId: z.string().describe('Id of the agent.'),
  newState: turnState,
  oldState: turnState,
  timestamp: z.number().describe('When the state changed, in milliseconds since 1970.'),
  sessionId,
})

/**
 * Queue, compactions, retries and turns. The fields of the projected events are optional here. A
 * turn is emitted twice: on one subject for every change, and on the subject of its new state.
 */
export const flowSchemas = {
  auto_retry_ended: event(
    'The agent stops retrying a failed model call. Projected from the event `auto_retry_end`.',
    z.object({
      eventType: z.literal('auto_retry_ended'),
      ...retryEnd.omit({ type: true }).partial().shape,
      sessionId,
    }),
  ),
  auto_retry_started: event(
    'The agent will retry a failed model call. Projected from the event `auto_retry_start`.',
    z.object({
      eventType: z.literal('auto_retry_started'),
      ...retryStart.omit({ type: true }).partial().shape,
      sessionId,
    }),
  ),
  compaction_ended: event(
    'The compaction ended: a summary replaces the earlier messages, or the attempt failed. Projected from the event `compaction_end`.',
    z.object({
      eventType: z.literal('compaction_ended'),
      ...compactionEnd.omit({ type: true }).partial().shape,
      usage: z.unknown().optional().describe('Usage of the model call that wrote the summary.'),
      sessionId,
    }),
  ),
  compaction_started: event(
    'The agent starts to compact its context into a summary. Projected from the event `compaction_start`.',
    z.object({
      eventType: z.literal('compaction_started'),
      ...compactionStart.omit({ type: true }).partial().shape,
      sessionId,
    }),
  ),
  queue_update: event(
    'The messages that wait to be delivered to the agent. Replaces the previous update. Projected from the event `queue_update`.',
    z.object({ eventType: z.literal('queue_update'), ...queued.partial().shape, sessionId }),
  ),
  'turn.state_changed': event(
    'The turn moved to another state. Projected from the event `turn_state`.',
    turnChange,
  ),
  'turn.step_finished': event('A model message and its tools ended.', turnChange),
  'turn.step_started': event('A model message started.', turnChange),
  'turn.turn_finished': event('The turn ended: completed, failed or aborted.', turnChange),
  'turn.turn_started': event('The agent accepted new input and starts its turn.', turnChange),
}
