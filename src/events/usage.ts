import { z } from 'zod'

/** Where an amount comes from: the agent said it, we computed it from prices, or it is a guess. */
export const provenance = z.enum(['reported', 'computed', 'estimated'])

const tokens = z.number().nonnegative()

/** Money for one call, in US dollars, split by kind where the agent splits it. */
export const cost = z.strictObject({
  total: z.number().describe('The whole amount in US dollars.'),
  input: z.number().optional(),
  output: z.number().optional(),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
})

/** Tokens and money of one model call. A field that the agent did not give is absent, not zero. */
export const usage = z.strictObject({
  input: tokens
    .optional()
    .describe('Input tokens that were neither read from nor written to a cache.'),
  output: tokens.optional().describe('Output tokens, reasoning included.'),
  cacheRead: tokens.optional().describe('Input tokens that were read from a cache.'),
  cacheWrite: tokens.optional().describe('Input tokens that were written to a cache.'),
  reasoning: tokens.optional().describe('The part of `output` spent on reasoning.'),
  totalTokens: tokens.optional().describe('The agent’s own sum.'),
  cost: cost.optional(),
  estimated: z
    .literal(true)
    .optional()
    .describe('The output is a lower bound: the final number was not told.'),
})

/** The token counts alone. */
export const tokenCounts = usage.pick({
  input: true,
  output: true,
  cacheRead: true,
  cacheWrite: true,
  reasoning: true,
})

/** How full the context window is, after the last call of the main thread. */
export const contextGauge = z.strictObject({
  used: tokens.describe('Tokens in the window.'),
  window: tokens.nullable().describe('Size of the window; null until the agent has told it.'),
  percent: z.number().nonnegative().nullable().describe('Null while the size is not known.'),
  source: z
    .enum(['last_call', 'compaction', 'agent'])
    .describe('Taken from the last call’s usage, from a compaction, or asked of the agent.'),
})

export const usageProvenance = z.strictObject({ tokens: provenance, cost: provenance.nullable() })

/** A sum over calls, with the provenance of its tokens and of its money. */
export const totals = z.strictObject({
  input: tokens,
  output: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  reasoning: tokens.optional(),
  costUsd: z.number().nonnegative().nullable().describe('Null while no amount is known.'),
  provenance: usageProvenance,
})

/** What an agent itself says about its whole process so far: counters that only grow. */
export const reportedUsage = z.strictObject({
  costUsd: z.number().nonnegative().optional().describe('In US dollars, for the whole process.'),
  costBasis: provenance.optional().describe('Where that amount comes from.'),
  byModel: z
    .record(z.string(), usage)
    .describe('Counters since the process (or its conversation) began, by model.'),
  sinceLast: z
    .record(z.string(), usage)
    .optional()
    .describe('What was added since the last report, where the agent says so.'),
})
