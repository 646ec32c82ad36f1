import { z } from 'zod'

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
      .describe('When Sluice received the event, in milliseconds since 1970.'),
  })
  .describe('Fields that a session adds to each agent event when it records the event.')
