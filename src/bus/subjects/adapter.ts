import { z } from 'zod'
import { flowSchemas } from './adapter-flow.ts'
import { messageSchemas } from './adapter-messages.ts'
import { sessionId } from './adapter-routing.ts'
import { toolSchemas } from './adapter-tools.ts'
import { turnSchemas } from './adapter-turns.ts'
import { event } from './define.ts'

/** The subjects of an agent’s adapter: the same for every agent, only their namespace differs. */
export const adapterSchemas = (agent: string) => ({
  agent_complete: event(
    `${agent} has finished a whole run: nothing more comes without new input. From the event \`agent_end\`.`,
    z.object({
      eventType: z.literal('agent_complete'),
      messages: z
        .array(z.unknown())
        .describe('The main thread’s messages of the run, tool results among them.'),
      text: z
        .string()
        .optional()
        .describe('What the agent said last; absent when it said nothing.'),
      stopReason: z.string().optional().describe('Why the run stopped.'),
      errorMessage: z.string().optional().describe('How it failed, for people.'),
      interrupted: z
        .literal(true)
        .optional()
        .describe('The stream ended first; the agent never said that it was done.'),
      sessionId,
    }),
  ),
  agent_started: event(
    `${agent} has begun to work on new input. From the event \`agent_start\`.`,
    z.object({
      eventType: z.literal('agent_started'),
      model: z.string().optional().describe('The model, where the agent has named it.'),
      sessionId,
    }),
  ),
  error: event(
    'Something went wrong: a bad line, a dead process, a failed run. From the event `error`, and from an `agent_end` that failed.',
    z.object({
      error: z
        .unknown()
        .describe('An object with a `message`; of an `error` event also its `code`.'),
      eventType: z.literal('error'),
      sessionId,
    }),
  ),
  'sdk.event': event(
    `An event in ${agent}’s own words, passed on as it came: what Sluice does not know, and what an embedding program hands over. Only \`type\` is checked.`,
    z.looseObject({ type: z.string().describe('The agent’s own name of the event.'), sessionId }),
  ),
  ...messageSchemas,
  ...toolSchemas,
  ...flowSchemas,
  ...turnSchemas,
})
