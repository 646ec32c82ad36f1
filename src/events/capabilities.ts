import { z } from 'zod'
import { agentSwitch, modeChoice } from './start-options.ts'

export const capabilities = z
  .strictObject({
    isLive: z
      .boolean()
      .describe('Sessions can be held with it. Otherwise it only runs one prompt and exits.'),
    steer: z.boolean().describe('A message can be sent into a run, and the agent reads it there.'),
    queue: z.boolean().describe('Messages sent during a run can wait for its end.'),
    abort: z.boolean().describe('A run can be stopped without ending the agent.'),
    resume: z.boolean().describe('A later process can continue the conversation.'),
    fork: z.boolean().describe('A conversation can be continued in a second session.'),
    conversations: z
      .boolean()
      .optional()
      .describe(
        'It lists the conversations that it has stored for a directory, and a session can continue one. Absent: it does not, or only its process announces it.',
      ),
    forkBefore: z
      .boolean()
      .optional()
      .describe('The copy can end before an earlier prompt. Absent: false.'),
    rewind: z
      .boolean()
      .optional()
      .describe(
        'The files that it edited can be restored to their state before a prompt. Absent: false.',
      ),
    models: z.boolean().describe('It lists its models, and the model can change in a session.'),
    modes: z
      .array(modeChoice)
      .describe(
        'Its permission modes. Empty if it has none, or if only a running agent lists them.',
      ),
    thinking: z
      .array(z.string())
      .describe('The levels of thinking that can be set, in the agent’s own terms.'),
    approvals: z
      .enum(['all', 'some', 'none'])
      .describe(
        'Which tool calls it can ask a person about. `some`: those that its own settings do not allow.',
      ),
    rewrite: z.boolean().describe('An answer to an approval can change the arguments of the call.'),
    images: z.boolean().describe('Prompts can contain images.'),
    files: z
      .array(z.enum(['text', 'pdf']))
      .optional()
      .describe('Kinds of files that prompts can contain, besides images. Absent: none.'),
    cost: z
      .enum(['reported', 'computed', 'none'])
      .describe(
        '`reported`: the agent reports its cost. `computed`: from its tokens and the price list. `none`: it reports no tokens.',
      ),
    liveOutput: z.boolean().describe('The output of a running command is shown while it runs.'),
    compact: z.boolean().describe('A person can have the context summarised.'),
    rename: z.boolean().describe('The agent stores the name of a session.'),
    stopTask: z.boolean().describe('A task in the background can be stopped.'),
    switches: z
      .array(agentSwitch)
      .optional()
      .describe('What it does by itself and a person can switch off. Absent: nothing.'),
    shell: z
      .boolean()
      .optional()
      .describe('A person can run shell commands through it. Absent: false.'),
  })
  .describe('What an agent can do. Offer only these things to people.')

export const capabilityChanges = capabilities
  .partial()
  .describe('What an agent process can or cannot do, where it differs from `GET agents`.')
