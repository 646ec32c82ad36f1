import { z } from 'zod'
import { turnState } from '../../events/run-events.ts'
import { sessionId } from './adapter-routing.ts'
import { event } from './define.ts'

const change = z.object({
  adapterId: z.string().describe('Which adapter tells it.'),
  agentId: z.string().describe('Which agent it is about.'),
  newState: turnState,
  oldState: turnState,
  timestamp: z.number().describe('In ms since 1970.'),
  sessionId,
})

/** How far the turn is: each change on one subject for all, and on one for its new state. */
export const turnSchemas = {
  'turn.state_changed': event(
    'The turn went from one state to the next. From the event `turn_state`.',
    change,
  ),
  'turn.step_finished': event('A model message and its tools are over.', change),
  'turn.step_started': event('A model message begins.', change),
  'turn.turn_finished': event('The turn is over: done, failed or aborted.', change),
  'turn.turn_started': event('The agent has taken new input and begins its turn.', change),
}
