import { z } from 'zod'
import { queryNumber } from './fields.ts'

export const streamQuery = z
  .strictObject({
    after: queryNumber(0)
      .optional()
      .describe('Cursor: the `seq` of the last received event. Same as `Last-Event-ID`.'),
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
      .describe('Cursors of the sessions: `<id>:<seq>,<id>:<seq>`. Same as `Last-Event-ID`.'),
  })
  .describe('Query of `GET stream`.')
