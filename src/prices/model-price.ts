import { z } from 'zod'
import type { TokenCounts } from '../events/types.ts'
import { contextTokens } from '../events/usage-sums.ts'

const usd = z.number().nonnegative().max(1_000_000)

const rates = {
  input: usd.describe('Input tokens that were neither read from nor written to a cache.'),
  output: usd.describe('Output tokens, including reasoning.'),
  cacheRead: usd
    .optional()
    .describe('Input tokens that were read from a cache. Absent: the price of `input`.'),
  cacheWrite: usd
    .optional()
    .describe('Input tokens that were written to a cache. Absent: the price of `input`.'),
}

export const priceTier = z
  .strictObject({
    above: z
      .number()
      .int()
      .positive()
      .describe('The prices hold for a call with more input tokens than this, cached or not.'),
    ...rates,
  })
  .describe('Prices of calls with a long context.')

export const modelPrice = z
  .strictObject({
    ...rates,
    tiers: z.array(priceTier).optional().describe('Prices of calls with a long context.'),
  })
  .describe('Prices of one model, in US dollars per million tokens.')

export type PriceTier = z.infer<typeof priceTier>
export type ModelPrice = z.infer<typeof modelPrice>

/** What the tokens of one call cost in US dollars. A long context changes the price of all of them. */
export const costOfCall = (price: ModelPrice, tokens: TokenCounts): number => {
  const size = contextTokens(tokens)
  const tier = price.tiers
    ?.filter(({ above }) => size > above)
    .sort(byThreshold)
    .at(-1)
  const { input, output, cacheRead = input, cacheWrite = input } = tier ?? price
  return (
    (input * (tokens.input ?? 0) +
      cacheRead * (tokens.cacheRead ?? 0) +
      cacheWrite * (tokens.cacheWrite ?? 0) +
      output * (tokens.output ?? 0)) /
    1_000_000
  )
}

const byThreshold = (left: PriceTier, right: PriceTier): number => left.above - right.above
