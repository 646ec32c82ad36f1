import { z } from 'zod'
import { queued } from './flow-events.ts'
import { message, toolResultMessage } from './message.ts'
import { turnState } from './run-events.ts'
import { contextGauge, totals } from './usage.ts'

/** Events about one connection: never stored, and never counted by `seq`. */
export const connectionEvents = [
  z
    .strictObject({
      type: z.literal('snapshot'),
      sessionId: z.string(),
      projectId: z.string().describe('The project that the session belongs to.'),
      messages: z
        .array(z.union([message, toolResultMessage]))
        .describe('The conversation as the model sees it.'),
      isStreaming: z.boolean().describe('A run is open.'),
      seq: z.number().int().nonnegative().describe('Everything after this follows live.'),
      agent: z.string().optional(),
      model: z.string().optional(),
      name: z.string().optional(),
      partial: message.optional().describe('The message in flight.'),
      tools: z.array(z.unknown()).optional().describe('The tools that run now.'),
      queued: queued.optional(),
      retry: z.unknown().optional().describe('The retry that is under way.'),
      compaction: z.unknown().optional().describe('The compaction that is under way.'),
      approvals: z.array(z.unknown()).optional().describe('The approvals that wait for an answer.'),
      usage: totals.optional().describe('The account so far.'),
      context: contextGauge.nullable().optional(),
      turnState: turnState.optional(),
    })
    .describe('Always first on a new connection: the whole state, with what is in flight.'),
  z
    .strictObject({
      type: z.literal('resume'),
      verdict: z
        .enum(['ok', 'gap'])
        .describe('The missed events follow, or they are gone and a snapshot follows.'),
      after: z.number().int().nonnegative().describe('The `seq` of the cursor.'),
    })
    .describe('The answer to a cursor: what was missed follows, or is gone.'),
  z
    .strictObject({
      type: z.literal('slow_consumer'),
      after: z.number().int().nonnegative().describe('The last `seq` that was sent.'),
    })
    .describe('The reader fell too far behind and is cut; it may come back with its cursor.'),
  z
    .strictObject({ type: z.literal('degraded'), reason: z.string().describe('For people.') })
    .describe('The server goes on, but with less than it promises.'),
] as const
