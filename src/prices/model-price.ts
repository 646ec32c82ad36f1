import type { ModelPrice, PriceTier } from '../api/types.ts'
import type { TokenCounts } from '../events/types.ts'
import { contextTokens } from '../events/usage-sums.ts'

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
