import { z } from 'zod'

export const provenance = z
  .enum(['reported', 'computed', 'estimated'])
  .describe(
    'Where a number comes from. `reported`: the agent reported it. `computed`: computed from token prices. `estimated`: a lower bound until the agent reports more.',
  )

const tokens = z.number().nonnegative()

/** How long the agent worked, by its own clock, and in how many steps. */
export const runFigureFields = {
  durationMs: z
    .number()
    .nonnegative()
    .optional()
    .describe('How long the agent worked, in milliseconds, as it reports it.'),
  durationApiMs: z
    .number()
    .nonnegative()
    .optional()
    .describe(
      'How long its model calls took, in milliseconds, as it reports it. Calls can overlap, so it can exceed `durationMs`.',
    ),
  numTurns: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('Number of turns, as the agent counts them.'),
}

export const cost = z
  .strictObject({
    total: z.number().describe('Total cost in US dollars.'),
    input: z.number().optional().describe('Cost of the uncached input tokens.'),
    output: z.number().optional().describe('Cost of the output tokens.'),
    cacheRead: z.number().optional().describe('Cost of the tokens read from a cache.'),
    cacheWrite: z.number().optional().describe('Cost of the tokens written to a cache.'),
    priceList: z
      .string()
      .optional()
      .describe(
        'The price list with which Sluice computed the cost: name, version and date. Absent if the agent reported the cost.',
      ),
  })
  .describe('Cost of one model call in US dollars, by kind of token if the agent reports that.')

export const usage = z
  .strictObject({
    input: tokens
      .optional()
      .describe('Input tokens that were neither read from nor written to a cache.'),
    output: tokens.optional().describe('Output tokens, including reasoning.'),
    cacheRead: tokens.optional().describe('Input tokens that were read from a cache.'),
    cacheWrite: tokens.optional().describe('Input tokens that were written to a cache.'),
    cacheWrite1h: tokens
      .optional()
      .describe('The part of `cacheWrite` that is cached for an hour, which costs more.'),
    reasoning: tokens.optional().describe('The part of `output` that was spent on reasoning.'),
    webSearchRequests: tokens
      .optional()
      .describe('Web searches that the provider ran for the model.'),
    webFetchRequests: tokens
      .optional()
      .describe('Web pages that the provider fetched for the model.'),
    totalTokens: tokens.optional().describe('The agent’s own total.'),
    cost: cost.optional(),
    estimated: z
      .literal(true)
      .optional()
      .describe('Present if `output` is a lower bound because the final number is missing.'),
  })
  .describe(
    'Tokens and cost of one model call. A field that the agent does not report is absent, not zero.',
  )

export const tokenCounts = usage
  .pick({
    input: true,
    output: true,
    cacheRead: true,
    cacheWrite: true,
    reasoning: true,
    webSearchRequests: true,
    webFetchRequests: true,
  })
  .describe(
    'Counts by kind, most of them tokens. A kind that the agent does not report is absent, not zero.',
  )

export const contextGauge = z
  .strictObject({
    used: tokens.describe('Tokens in the context window.'),
    window: tokens
      .nullable()
      .describe('Size of the context window in tokens. Null until the agent reports it.'),
    percent: z
      .number()
      .nonnegative()
      .nullable()
      .describe('Used part of the context window in percent. Null while its size is unknown.'),
    source: z
      .enum(['last_call', 'compaction', 'agent'])
      .describe(
        'Where the number comes from: the usage of the last model call, a compaction, or a report of the agent.',
      ),
  })
  .describe('How full the context window of the main thread is.')

export const usageProvenance = z
  .strictObject({
    tokens: provenance.describe('Where the token counts come from.'),
    cost: provenance.nullable().describe('Where the cost comes from. Null while it is unknown.'),
  })
  .describe('Where the numbers of a total come from.')

export const totals = z
  .strictObject({
    input: tokens.describe('Input tokens that were neither read from nor written to a cache.'),
    output: tokens.describe('Output tokens, including reasoning.'),
    cacheRead: tokens.describe('Input tokens that were read from a cache.'),
    cacheWrite: tokens.describe('Input tokens that were written to a cache.'),
    reasoning: tokens
      .optional()
      .describe('The part of `output` that was spent on reasoning. Absent if it is unknown.'),
    webSearchRequests: tokens
      .optional()
      .describe('Web searches that the provider ran. Absent if none are reported.'),
    webFetchRequests: tokens
      .optional()
      .describe('Web pages that the provider fetched. Absent if none are reported.'),
    ...runFigureFields,
    costUsd: z
      .number()
      .nonnegative()
      .nullable()
      .describe('Cost in US dollars. Null while it is unknown.'),
    unpriced: z
      .array(z.string())
      .optional()
      .describe(
        'Models whose tokens have no price, so that `costUsd` leaves them out. Absent if there are none.',
      ),
    provenance: usageProvenance,
  })
  .describe('Tokens and cost of several model calls, with their provenance.')

export const reportedUsage = z
  .strictObject({
    costUsd: z
      .number()
      .nonnegative()
      .optional()
      .describe('Cost of the whole process in US dollars.'),
    costBasis: provenance.optional().describe('Where the cost comes from.'),
    byModel: z
      .record(z.string(), usage)
      .describe('Usage since the process or its conversation started, by model.'),
    sinceLast: z
      .record(z.string(), usage)
      .optional()
      .describe('Usage since the previous report, by model, if the agent reports it.'),
    counts: z
      .literal('conversation')
      .optional()
      .describe(
        'Present if `costUsd` and the counters of `byModel` go on when another process resumes the conversation.',
      ),
    isResumed: z
      .literal(true)
      .optional()
      .describe(
        'Present if the process resumed a conversation. What its counters had before is not part of this session.',
      ),
    computed: z
      .record(z.string(), cost)
      .optional()
      .describe(
        'Cost of the tokens that no message showed, by model. Sluice computes it where the agent reports none.',
      ),
    ...runFigureFields,
  })
  .describe(
    'The agent’s own counters for its whole process. Durations and turns are those since the previous report.',
  )
