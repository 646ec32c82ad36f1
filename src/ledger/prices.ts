import type { TokenCounts } from '../events/types.ts'
import { tokenKinds } from '../events/usage-sums.ts'

/** Prices of one model, in US dollars per million tokens. */
export type Price = TokenCounts

/** Prices by model. */
export type Prices = Readonly<Record<string, Price>>

/** The cost of tokens in US dollars; undefined without a price. Reasoning is part of the output. */
export const costOf = (tokens: TokenCounts, price: Price | undefined): number | undefined => {
  if (!price) return undefined
  let usd = 0
  for (const kind of tokenKinds)
    if (kind !== 'reasoning') usd += ((price[kind] ?? 0) * (tokens[kind] ?? 0)) / 1_000_000
  return usd
}
