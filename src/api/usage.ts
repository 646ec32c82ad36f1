import { z } from 'zod'
import { contextGauge, tokenCounts, totals, usageProvenance } from '../events/usage.ts'
import { time } from './fields.ts'

/** What one model call, compaction or report added to the account. */
export const usageEntry = z.object({
  key: z.string().describe('What it is for, such as a message id.'),
  timestamp: time,
  model: z.string(),
  tokens: tokenCounts,
  costUsd: z.number().nonnegative().optional().describe('Absent while no amount is known.'),
  provenance: usageProvenance,
})

/** What one run, from agent_start to agent_end, added to the account. */
export const turnUsage = z.object({
  startedAt: time,
  endedAt: time.optional().describe('Absent while it goes on.'),
  totals,
})

/** `GET sessions/:id/usage` */
export const usageReport = z.object({
  sessionId: z.string(),
  totals: totals.describe('The whole session.'),
  byModel: z.record(z.string(), totals),
  turns: z.array(turnUsage).describe('Oldest first.'),
  entries: z.array(usageEntry).describe('What the sums are made of, where it is kept.'),
})

/** One part of what fills a context window. */
export const contextPart = z.object({ name: z.string(), tokens: z.number().nonnegative() })

/** `GET sessions/:id/context` */
export const contextReport = z.object({
  sessionId: z.string(),
  model: z.string().optional(),
  context: contextGauge.nullable().describe('Null until a call has told it.'),
  parts: z.array(contextPart).optional().describe('What fills it, where the agent says so.'),
})
