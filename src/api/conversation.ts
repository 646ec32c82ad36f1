import { z } from 'zod'
import { envelope } from '../events/envelope.ts'
import { snapshot } from '../events/snapshot.ts'
import { queryNumber } from './fields.ts'

const head = z.number().int().nonnegative().describe('The seq of the session’s last event.')

/** `GET sessions/:id/messages`: the same as in a snapshot. */
export const messageList = z.object({
  sessionId: z.string(),
  seq: z.number().int().nonnegative().describe('The last event that is in it.'),
  messages: snapshot.shape.messages,
})

/** `GET sessions/:id/events` */
export const eventQuery = z.strictObject({
  after: queryNumber(0).optional().describe('Begins behind this seq; 0 unless told otherwise.'),
  limit: queryNumber(1, 5000)
    .optional()
    .describe('How many at most; 500 unless told otherwise. Fewer where they are large.'),
})

/** An event by its envelope. What else is in it, by its type, is what `schema/events.json` tells. */
export const wireEvent = z
  .looseObject({ type: z.string(), ...envelope.shape })
  .describe('An event, as in the stream: `schema/events.json` has every type.')

export const eventPage = z.object({
  events: z.array(wireEvent).describe('In order, without a hole.'),
  head,
  next: z
    .number()
    .int()
    .positive()
    .optional()
    .describe('Pass it as `after` for the page behind this one; absent on the last.'),
})

export const exportFormat = z.enum(['jsonl', 'markdown'])

/** `GET sessions/:id/export` */
export const exportQuery = z.strictObject({
  format: exportFormat.default('jsonl').describe('Events, or a readable page.'),
})
