import { z } from 'zod'
import { queryNumber } from './fields.ts'

/** `GET sessions/:id/stream` */
export const streamQuery = z.strictObject({
  after: queryNumber(0).optional().describe('A cursor, as `Last-Event-ID`: the last seq seen.'),
})

/** `GET stream` */
export const manyStreamQuery = z.strictObject({
  sessions: z.string().max(20_000).optional().describe('Ids of sessions, with commas between.'),
  after: z.string().max(20_000).optional().describe('Cursors, as `Last-Event-ID`: `<id>:<seq>,…`.'),
})
