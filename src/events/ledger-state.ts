import { z } from 'zod'
import { contextGauge, provenance, runFigureFields, usage } from './usage.ts'

const count = z.number().int().nonnegative()

export const processCost = z
  .strictObject({
    usd: z.number().describe('Amount in US dollars.'),
    provenance,
  })
  .describe('Cost of an agent process.')

export const contextUse = z
  .strictObject({
    tokens: z.number().nonnegative().describe('Tokens in the context window.'),
    source: contextGauge.shape.source,
  })
  .describe('How many tokens are in the context window, and where the number comes from.')

export const conversationCounters = z
  .strictObject({
    nativeId: z.string().optional().describe('The agent’s own id of the conversation.'),
    counters: z.record(z.string(), usage).describe('The counters, by model.'),
    inheritedCost: z
      .number()
      .nonnegative()
      .optional()
      .describe('What the conversation had cost in another session, in US dollars.'),
  })
  .describe('The counters of a conversation at its last report. They outlive a process.')

export const ledgerState = z
  .strictObject({
    period: count.describe('Number of the current period. Each report and each process ends one.'),
    counters: z.record(z.string(), usage).describe('The agent’s counters at its last report.'),
    nativeId: z.string().optional().describe('The agent’s own id of the conversation.'),
    conversation: conversationCounters.optional(),
    spent: processCost
      .optional()
      .describe('Final cost of earlier processes, and of conversations that were cleared.'),
    processCost: processCost.optional().describe('Latest cost of the current process.'),
    modelCosts: z
      .record(z.string(), processCost)
      .optional()
      .describe('Reported cost of the whole session, by model.'),
    ...runFigureFields,
    processes: count.describe('Number of agent processes so far.'),
    reports: count.describe('Number of reports so far.'),
    compactions: count.describe('Number of compactions so far.'),
    model: z.string().optional().describe('Model of the main thread.'),
    models: z
      .record(z.string(), z.string())
      .describe('Models of the messages that have not ended, by message id.'),
    contextWindow: z
      .number()
      .nonnegative()
      .optional()
      .describe('Size of the context window, in tokens.'),
    used: contextUse.optional(),
  })
  .describe('The state of a ledger beside its rows. With both, a ledger can continue.')
