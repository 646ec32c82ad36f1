import { z } from 'zod'
import { sessionId } from './adapter-fields.ts'
import { flowSchemas } from './adapter-flow.ts'
import { messageSchemas } from './adapter-messages.ts'
import { toolSchemas } from './adapter-tools.ts'
import { event } from './define.ts'

/** The subjects of an agent. They are the same for every agent; only the namespace differs. */
export const adapterSchemas = (agent: string) => ({
  agent_complete: event(
    `A run of ${agent} ended. The agent does nothing more without new input. Projected from the event \`agent_end\`.`,
    z.object({
      eventType: z.literal('agent_complete'),
      messages: z
        .array(z.unknown())
        .describe(
          'All messages of the main thread in this run, in the order in which they started: prompts, answers and tool results. Withdrawn attempts and the messages of earlier runs are left out, as in Pi’s own `agent_end`.',
        ),
      text: z
        .string()
        .optional()
        .describe('The last text of the agent. Absent if it wrote no text.'),
      stopReason: z.string().optional().describe('Why the run stopped.'),
      errorMessage: z
        .string()
        .optional()
        .describe('Error message for people. Only if the run failed.'),
      interrupted: z
        .literal(true)
        .optional()
        .describe('Present if the stream ended before the agent reported the end of the run.'),
      sessionId,
    }),
  ),
  agent_started: event(
    `${agent} started to work on new input. Projected from the event \`agent_start\`.`,
    z.object({
      eventType: z.literal('agent_started'),
      model: z.string().optional().describe('Name of the model. Absent until the agent names it.'),
      sessionId,
    }),
  ),
  error: event(
    'Something failed: a line could not be read, the process died, or the run failed. Projected from the event `error`, and from an `agent_end` with an error.',
    z.object({
      error: z
        .unknown()
        .describe(
          'An object with a `message`, and with a `code` if it comes from an `error` event.',
        ),
      eventType: z.literal('error'),
      sessionId,
    }),
  ),
  'sdk.event': event(
    `An event of ${agent} in its own format, as ${agent} emitted it: every one, before it is stored. Only \`type\` is checked. A line without a \`type\` is the \`line\` of one of type \`raw\`.`,
    z.looseObject({ type: z.string().describe('The agent’s own name of the event.'), sessionId }),
  ),
  ...messageSchemas,
  ...toolSchemas,
  ...flowSchemas,
})

/** The subjects of an agent, by their names in its namespace. */
export type AdapterSchemas = ReturnType<typeof adapterSchemas>
