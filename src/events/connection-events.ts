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
      projectId: z.string(),
      messages: z.array(z.union([message, toolResultMessage])),
      isStreaming: z.boolean(),
      seq: z.number().int().nonnegative().describe('Everything after this follows live.'),
      agent: z.string().optional(),
      model: z.string().optional(),
      name: z.string().optional(),
      partial: message.optional().describe('The message in flight.'),
      tools: z.array(z.unknown()).optional().describe('The tools that run now.'),
      queued: queued.optional(),
      retry: z.unknown().optional(),
      compaction: z.unknown().optional(),
      approvals: z.array(z.unknown()).optional(),
      usage: totals.optional(),
      context: contextGauge.nullable().optional(),
      turnState: turnState.optional(),
    })
    .describe('Always first on a new connection: the whole state, in flight parts included.'),
  z
    .strictObject({
      type: z.literal('resume'),
      verdict: z.enum(['ok', 'gap']),
      after: z.number().int().nonnegative(),
    })
    .describe('The answer to a cursor: what was missed follows, or is gone.'),
  z
    .strictObject({ type: z.literal('slow_consumer'), after: z.number().int().nonnegative() })
    .describe('The reader fell too far behind and is cut; it may come back with its cursor.'),
  z
    .strictObject({ type: z.literal('degraded'), reason: z.string() })
    .describe('The server goes on, but with less than it promises.'),
] as const
