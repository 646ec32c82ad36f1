import { z } from 'zod'
import { envelope } from '../events/envelope.ts'
import { snapshot } from '../events/snapshot.ts'
import { cursorPattern } from './cursors.ts'
import { count, queryNumber } from './fields.ts'

export const messageList = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    seq: count.describe('The `seq` of the last event that the list includes.'),
    messages: snapshot.shape.messages,
    omitted: snapshot.shape.omitted,
  })
  .describe('Response of `GET sessions/:id/messages`.')

export const messageQuery = z
  .strictObject({
    view: z
      .enum(['all', 'model'])
      .optional()
      .describe(
        '`all`: the whole conversation. `model`: what the model still sees of it, in that order: the summary of the last compaction, the messages that the agent kept, and those that followed. Default: `all`.',
      ),
  })
  .describe('Query of `GET sessions/:id/messages`.')

export const eventQuery = z
  .strictObject({
    after: z
      .string()
      .regex(cursorPattern, 'Invalid cursor. Use the `cursor` of a page, or the `seq` of an event.')
      .optional()
      .describe(
        'Return the events after this one: the `cursor` of a page, the id of a stream’s frame, or a `seq`. Default: 0, from the first event.',
      ),
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
    cursor: z
      .string()
      .describe(
        'The cursor at the last event of the page. Pass it as `after` to get what is newer.',
      ),
    next: z
      .string()
      .optional()
      .describe('The same cursor, if the session has more events now. Absent on the last page.'),
    gap: z
      .literal(true)
      .optional()
      .describe(
        'Present if the session does not have the event of `after`: it has fewer events, or another event with this `seq`. Then the page is empty. Drop what you have of the session, and start again without `after`.',
      ),
  })
  .describe('Response of `GET sessions/:id/events`.')

export const exportFormat = z
  .enum(['jsonl', 'markdown', 'sluice'])
  .describe(
    '`jsonl`: all events, one per line. `markdown`: a readable page. `sluice`: events and blobs in one file, which `sluice import` reads.',
  )

export const exportQuery = z
  .strictObject({
    format: exportFormat.default('jsonl'),
    redact: z
      .enum(['true', 'false'])
      .optional()
      .describe(
        '`true`: keys, tokens, addresses, home paths and images are hidden. Only with `sluice`.',
      ),
  })
  .describe('Query of `GET sessions/:id/export`.')
