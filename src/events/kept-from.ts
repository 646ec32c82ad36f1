import { z } from 'zod'

export const keptFrom = z
  .strictObject({
    id: z
      .string()
      .optional()
      .describe('Id of that message, of the command that sent it, or of that tool call.'),
    role: z.string().optional().describe('Role of that message, in the agent’s own term.'),
    timestamp: z
      .number()
      .optional()
      .describe('Time of that message by the agent’s clock, in milliseconds since 1970.'),
  })
  .describe(
    'The first message from before the last compaction that the model still sees, beside the summary. Absent if it sees none, or if the agent does not report it.',
  )
