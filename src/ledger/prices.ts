import { type Tokens, tokenKinds } from '../events/usage-sums.ts'

/** Dollars per million tokens of one model. */
export type Price = Tokens
export type Prices = Readonly<Record<string, Price>>

/** What tokens cost at a price; undefined without one. Reasoning is part of the output. */
export const priceOf = (price: Price | undefined, tokens: Tokens): number | undefined => {
  if (!price) return undefined
  let usd = 0
  for (const kind of tokenKinds)
    if (kind !== 'reasoning') usd += ((price[kind] ?? 0) * (tokens[kind] ?? 0)) / 1_000_000
  return usd
}
