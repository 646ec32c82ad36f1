import { z } from 'zod'
import { sessionDamage } from './session-events.ts'
import { snapshot } from './snapshot.ts'

/** Events about one connection. They are not stored and have no `seq` of their own. */
export const connectionEvents = [
  snapshot,
  z
    .strictObject({
      type: z.literal('resume'),
      verdict: z
        .enum(['ok', 'gap'])
        .describe(
          '`ok`: the missed events follow. `gap`: the cursor cannot be resumed; a snapshot follows.',
        ),
      after: z
        .number()
        .int()
        .nonnegative()
        .describe('The `seq` of the cursor; 0 if the cursor is invalid.'),
      sessionId: z
        .string()
        .optional()
        .describe('Id of the session. Set on a stream of several sessions.'),
    })
    .describe('Answers a reconnect with a cursor: the stream resumes, or it starts over.'),
  z
    .strictObject({
      type: z.literal('slow_consumer'),
      after: z
        .number()
        .int()
        .nonnegative()
        .optional()
        .describe('The last `seq` that was sent. Absent on a stream of several sessions.'),
    })
    .describe(
      'The server closes the connection because the reader is too slow. Reconnect with the cursor.',
    ),
  z
    .strictObject({
      type: z.literal('degraded'),
      reason: z.string().describe('Description of the problem for people.'),
    })
    .describe('The server continues with reduced guarantees.'),
  z
    .strictObject({ type: z.literal('recovered') })
    .describe('The reason of the last `degraded` is gone: everything works again.'),
  z
    .strictObject({
      type: z.literal('session_damaged'),
      sessionId: z.string().describe('Id of the session.'),
      reason: sessionDamage.shape.reason,
      after: z
        .number()
        .int()
        .nonnegative()
        .optional()
        .describe('The last `seq` that can be read. Absent when all events can be read.'),
    })
    .describe('A part of the session cannot be read. It ends before the damage.'),
] as const
