import { z } from 'zod'

export const streamQuery = z
  .strictObject({
    after: z
      .string()
      .max(100)
      .optional()
      .describe(
        'Cursor: the id of the last received frame. A `seq` is accepted, too, but cannot be checked. Same as `Last-Event-ID`.',
      ),
  })
  .describe('Query of `GET sessions/:id/stream`.')

export const manyStreamQuery = z
  .strictObject({
    sessions: z
      .string()
      .max(20_000)
      .optional()
      .describe('Ids of the sessions to subscribe to, separated by commas.'),
    after: z
      .string()
      .max(20_000)
      .optional()
      .describe(
        'Cursors of the sessions: the id of the last received frame, or `<id>:<seq>,<id>:<seq>`. Same as `Last-Event-ID`.',
      ),
  })
  .describe('Query of `GET stream`.')
