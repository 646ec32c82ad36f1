import { z } from 'zod'

const amount = z.number()

export const costParts = z
  .strictObject({
    reported: amount.describe('Reported by the agents.'),
    computed: amount.describe('Computed from token prices.'),
    estimated: amount.describe('A lower bound until the agents report more.'),
  })
  .describe('A cost in US dollars, by where its parts come from.')

/** A correction can make the sum of a short range negative. */
export const spendingSums = z
  .strictObject({
    input: amount.describe('Input tokens that were neither read from nor written to a cache.'),
    output: amount.describe('Output tokens, including reasoning.'),
    cacheRead: amount.describe('Input tokens that were read from a cache.'),
    cacheWrite: amount.describe('Input tokens that were written to a cache.'),
    reasoning: amount.describe('The part of `output` that was spent on reasoning.'),
    webSearchRequests: amount.describe('Web searches that the provider ran.'),
    webFetchRequests: amount.describe('Web pages that the provider fetched.'),
    calls: amount.describe('Number of model calls that ended with usage.'),
    costUsd: amount.nullable().describe('Cost in US dollars. Null if no part of it is known.'),
    costBy: costParts,
    unpriced: z
      .array(z.string())
      .describe('Models with tokens whose cost is unknown: `costUsd` does not include them.'),
  })
  .describe('What sessions have used in a range of time.')
