import type { ModelPrice } from '../api/types.ts'
import type { ComputedCost, Prices } from '../ledger/prices.ts'
import { costOfCall } from './model-price.ts'
import { type OwnPrices, openOwnPrices } from './own-prices.ts'
import type { PriceList } from './price-list.ts'
import { priceListName } from './price-list-version.ts'

/** All prices of a data directory: the user’s own ones, and the price list. */
export interface PriceBook extends Prices {
  readonly own: OwnPrices
  readonly list: PriceList
  /** The price that is used for a model; undefined if it has none. */
  find(model: string): FoundPrice | undefined
}

/** The price of a model, and where it comes from. */
export interface FoundPrice {
  price: ModelPrice
  source: 'own' | 'list'
  /** The model and the provider in the price list. */
  listed?: { id: string; provider: string }
}

/** What the events call prices that the user has set. */
export const ownPricesName = 'own prices'

export interface PriceBookOptions {
  /** Called once when the user’s own prices cannot be read. The price list is used then. */
  onError(cause: unknown): void
}

/** Loads the prices of a data directory. */
export const loadPriceBook = async (
  data: string,
  { onError }: PriceBookOptions,
): Promise<PriceBook> => {
  const { createPriceList } = await import('./price-list.ts')
  const list = createPriceList()
  const own = openOwnPrices(data)
  let hasFailed = false

  const ownPrice = (model: string): ModelPrice | undefined => {
    try {
      const price = own.find(model)
      hasFailed = false
      return price
    } catch (cause) {
      if (!hasFailed) onError(cause)
      hasFailed = true
      return undefined
    }
  }

  return {
    own,
    list,
    find(model) {
      const price = ownPrice(model)
      const listed = list.find(model)
      const place = listed && { listed: { id: listed.id, provider: listed.provider } }
      if (price) return { price, source: 'own', ...place }
      return listed && { price: listed.price, source: 'list', ...place }
    },
    costOf(model, tokens): ComputedCost | undefined {
      const price = ownPrice(model)
      if (price) return { usd: costOfCall(price, tokens), list: ownPricesName }
      const usd = list.costOf(model, tokens)
      return usd === undefined ? undefined : { usd, list: priceListName }
    },
  }
}
