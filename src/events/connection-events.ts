import { z } from 'zod'
import { snapshot } from './snapshot.ts'

/** Events about one connection: never stored, and never counted by `seq`. */
export const connectionEvents = [
  snapshot,
  z
    .strictObject({
      type: z.literal('resume'),
      verdict: z
        .enum(['ok', 'gap'])
        .describe('The missed events follow, or they are gone and a snapshot follows.'),
      after: z
        .number()
        .int()
        .nonnegative()
        .describe('The `seq` of the cursor; 0 if it could not be read.'),
      sessionId: z.string().optional().describe('Which session, on a stream of several.'),
    })
    .describe('The answer to a cursor: what was missed follows, or is gone.'),
  z
    .strictObject({
      type: z.literal('slow_consumer'),
      after: z
        .number()
        .int()
        .nonnegative()
        .optional()
        .describe('The last `seq` that was sent; absent on a stream of several sessions.'),
    })
    .describe('The reader fell too far behind and is cut; it may come back with its cursor.'),
  z
    .strictObject({ type: z.literal('degraded'), reason: z.string().describe('For people.') })
    .describe('The server goes on, but with less than it promises.'),
] as const
