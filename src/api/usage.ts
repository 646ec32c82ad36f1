import { z } from 'zod'
import { contextGauge, tokenCounts, totals, usageProvenance } from '../events/usage.ts'
import { time } from './fields.ts'

export const usageEntry = z
  .object({
    key: z.string().describe('What the usage is for, such as a message id.'),
    timestamp: time('When the usage was recorded'),
    model: z.string().describe('Name of the model.'),
    tokens: tokenCounts,
    costUsd: z
      .number()
      .nonnegative()
      .optional()
      .describe('Cost in US dollars. Absent while it is unknown.'),
    priceList: z
      .string()
      .optional()
      .describe('The price list of a computed cost: name, version and date.'),
    provenance: usageProvenance,
  })
  .describe('Usage of one model call, one compaction or one report of the agent.')

export const turnUsage = z
  .object({
    startedAt: time('When the run started'),
    endedAt: time('When the run ended').optional(),
    totals: totals.describe('Usage of the run.'),
  })
  .describe('Usage of one run, from `agent_start` to `agent_end`.')

export const usageReport = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    totals: totals.describe('Usage of the whole session.'),
    byModel: z.record(z.string(), totals).describe('Usage of the whole session, by model.'),
    turns: z.array(turnUsage).describe('Usage by run, oldest first.'),
    entries: z
      .array(usageEntry)
      .describe('The entries that the totals consist of, where they are stored.'),
  })
  .describe('Response of `GET sessions/:id/usage`.')

export const contextPart = z
  .object({
    name: z.string().describe('Name of the part.'),
    tokens: z.number().nonnegative().describe('Tokens of the part.'),
  })
  .describe('One part of the context window.')

export const contextReport = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    model: z.string().optional().describe('Model of the main thread.'),
    context: contextGauge
      .nullable()
      .describe('How full the context window is. Null until the first model call ends.'),
    parts: z
      .array(contextPart)
      .optional()
      .describe(
        'What the context consists of. Present while the agent runs, if it reports that, as Claude Code does since 2.1.112.',
      ),
  })
  .describe('Response of `GET sessions/:id/context`.')
