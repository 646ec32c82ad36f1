import { z } from 'zod'
import { contextGauge, provenance, usage } from './usage.ts'

const count = z.number().int().nonnegative()

/** What a process has cost. */
export const processCost = z.strictObject({ usd: z.number(), provenance })

/** How much of the context is used. */
export const contextUse = z.strictObject({
  tokens: z.number().nonnegative(),
  source: contextGauge.shape.source,
})

/** What an account must know beside its rows, to go on where it was left. */
export const ledgerState = z.strictObject({
  period: count.describe('Counts the agent’s reports and processes: rows of the last one are new.'),
  counters: z.record(z.string(), usage).describe('The agent’s counters at its last report.'),
  spent: processCost.optional().describe('What earlier processes said in the end.'),
  processCost: processCost.optional().describe('What this process has said.'),
  processes: count,
  reports: count,
  compactions: count,
  model: z.string().optional(),
  models: z.record(z.string(), z.string()).describe('Models of the messages that have not ended.'),
  contextWindow: z.number().nonnegative().optional(),
  used: contextUse.optional(),
})
