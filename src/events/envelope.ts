import { z } from 'zod'

/** What a stamp adds to an event. */
export const envelope = z.strictObject({
  sessionId: z.string().describe('The session it belongs to.'),
  seq: z
    .number()
    .int()
    .positive()
    .describe('Per session, from 1, without a hole. Also the SSE id.'),
  timestamp: z.number().int().describe('When Sluice took it in, ms since 1970.'),
})
