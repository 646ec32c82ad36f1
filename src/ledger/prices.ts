import type { TokenCounts } from '../events/types.ts'
import { tokenKinds } from '../events/usage-sums.ts'
import { ownValue } from '../shared/fields.ts'

/** Prices of models, used where the agent reports no cost. */
export interface Prices {
  /** What the tokens of one model call cost; undefined if the model has no price. */
  costOf(model: string, tokens: CallTokens): ComputedCost | undefined
}

/** The tokens of one model call. */
export interface CallTokens extends TokenCounts {
  /** The part of `cacheWrite` that is cached for an hour, which costs more. */
  cacheWrite1h?: number | undefined
}

/** A cost that was computed from prices. */
export interface ComputedCost {
  /** In US dollars. */
  usd: number
  /** The price list that was used: name, version and date. */
  list: string
}

/** Prices of one model, in US dollars per million tokens. A kind without a price is free. */
export type Price = TokenCounts

/** Prices from a table by model. `list` names the table. */
export const fixedPrices = (table: Readonly<Record<string, Price>>, list: string): Prices => ({
  costOf(model, tokens) {
    const price = ownValue(table, model)
    return price && { usd: priceTokens(tokens, price), list }
  },
})

/** What tokens cost in US dollars. Reasoning is part of the output. */
export const priceTokens = (tokens: TokenCounts, price: Price): number => {
  let usd = 0
  for (const kind of tokenKinds)
    if (kind !== 'reasoning') usd += ((price[kind] ?? 0) * (tokens[kind] ?? 0)) / 1_000_000
  return usd
}
