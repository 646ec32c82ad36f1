import { z } from 'zod'
import { envelope } from '../events/envelope.ts'
import { snapshot } from '../events/snapshot.ts'
import { count, queryNumber } from './fields.ts'

export const messageList = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    seq: count.describe('The `seq` of the last event that the list includes.'),
    messages: snapshot.shape.messages,
  })
  .describe('Response of `GET sessions/:id/messages`.')

export const eventQuery = z
  .strictObject({
    after: queryNumber(0)
      .optional()
      .describe('Return the events after this `seq`. Default: 0, from the first event.'),
    limit: queryNumber(1, 5000)
      .optional()
      .describe('Maximum number of events. Default: 500. A page has fewer if events are large.'),
  })
  .describe('Query of `GET sessions/:id/events`.')

export const wireEvent = z
  .looseObject({
    type: z.string().describe('Type of the event.'),
    ...envelope.shape,
  })
  .describe('An event as in the stream. `schema/events.json` describes every type.')

export const eventPage = z
  .object({
    events: z.array(wireEvent).describe('Events in order, without gaps.'),
    head: count.describe('The `seq` of the session’s last event.'),
    next: z
      .number()
      .int()
      .positive()
      .optional()
      .describe('Pass it as `after` to get the next page. Absent on the last page.'),
  })
  .describe('Response of `GET sessions/:id/events`.')

export const exportFormat = z
  .enum(['jsonl', 'markdown'])
  .describe('`jsonl`: all events, one per line. `markdown`: a readable page.')

export const exportQuery = z
  .strictObject({
    format: exportFormat
      .default('jsonl')
      .describe('`jsonl`: all events, one per line. `markdown`: a readable page.'),
  })
  .describe('Query of `GET sessions/:id/export`.')
