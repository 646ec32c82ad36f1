import { z } from 'zod'

export const filePosition = z
  .strictObject({
    file: z
      .string()
      .optional()
      .describe('Which of several files: its path below the folder of the session.'),
    offset: z.number().int().nonnegative().describe('Where the line ends, in bytes or records.'),
    tail: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe(
        'CRC-32 of the end of that line, by which a file that was written anew is noticed.',
      ),
    closed: z
      .literal(true)
      .optional()
      .describe('Present if the event closes what the file left open.'),
  })
  .describe(
    'Up to where the agent’s own file is read with this event. Only in watched sessions, on the last event of what was read at once.',
  )

export const envelope = z
  .strictObject({
    sessionId: z.string().describe('Id of the session.'),
    seq: z
      .number()
      .int()
      .positive()
      .describe(
        'Sequence number in the session: starts at 1, without gaps. The SSE event id begins with it.',
      ),
    timestamp: z
      .number()
      .int()
      .describe(
        'When Sluice received the event, in milliseconds since 1970. In a watched session, when the agent wrote it down.',
      ),
    readUpTo: filePosition.optional(),
  })
  .describe('Fields that a session adds to each agent event when it records the event.')
