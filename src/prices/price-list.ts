import {
  calcPrice,
  type ModelInfo,
  type Provider,
  type ModelPrice as RawPrice,
  waitForUpdate,
} from '@pydantic/genai-prices'
import type { ModelPrice } from '../api/types.ts'
import { contextTokens } from '../events/usage-sums.ts'
import type { CallTokens } from '../ledger/prices.ts'
import { modelNames } from './model-names.ts'

/** A model of the price list. */
export interface ListedModel {
  id: string
  provider: string
  price: ModelPrice
}

/** The price list of the package. It is large, so this file is loaded when it is needed. */
export interface PriceList {
  /** What the tokens of one call cost in US dollars at this moment; undefined without a price. */
  costOf(model: string, tokens: CallTokens): number | undefined
  /** The price of a model by the name that an agent uses. */
  find(model: string): ListedModel | undefined
  /** Every model that has a price for input and output. */
  models(): Promise<ListedModel[]>
}

export const createPriceList = (now: () => Date = () => new Date()): PriceList => {
  /** Under which name and provider a model was found. */
  const found = new Map<string, ReturnType<typeof candidateOf>>()

  const candidateOf = (model: string) =>
    modelNames(model).find((name) => priceAt(name, noTokens, now()) !== undefined)

  const calculate = (model: string, usage: RawUsage) => {
    if (!found.has(model)) {
      if (found.size >= maxNames) found.clear()
      found.set(model, candidateOf(model))
    }
    const name = found.get(model)
    return name && priceAt(name, usage, now())
  }

  /** The last call: its usage is priced when it is reported, and again at the end of its message. */
  let last: { key: string; usd: number | undefined } | undefined

  return {
    costOf(model, tokens) {
      const usage = usageOf(tokens)
      // Some prices depend on the time of day.
      const minute = Math.floor(now().getTime() / 60_000)
      const key = `${minute} ${Object.values(usage).join(' ')} ${model}`
      if (last?.key !== key) last = { key, usd: calculate(model, usage)?.total_price }
      return last.usd
    },
    find(model) {
      const result = calculate(model, noTokens)
      const price = result && priceOf(result.model_price)
      return price && { id: result.model.id, provider: result.provider.id, price }
    },
    models: async () => ((await waitForUpdate()) ?? []).flatMap((each) => modelsOf(each, now())),
  }
}

/** How many names are remembered. Agents choose them. */
const maxNames = 1000

type RawUsage = Parameters<typeof calcPrice>[0]
type ModelName = ReturnType<typeof modelNames>[number]

const noTokens: RawUsage = { input_tokens: 0, output_tokens: 0 }

/** The package throws for data that it cannot compute with. Such a model has no price. */
const priceAt = ({ id, provider }: ModelName, usage: RawUsage, timestamp: Date) => {
  try {
    const options = { timestamp, ...(provider !== undefined && { providerId: provider }) }
    const result = calcPrice(usage, id, options)
    return result && priceOf(result.model_price) ? result : undefined
  } catch {
    return undefined
  }
}

/** Counts as the package expects them: its input includes what was cached. */
const usageOf = (tokens: CallTokens): RawUsage => ({
  input_tokens: contextTokens(tokens),
  cache_read_tokens: tokens.cacheRead ?? 0,
  cache_write_tokens: tokens.cacheWrite ?? 0,
  cache_write_1h_tokens: Math.min(tokens.cacheWrite1h ?? 0, tokens.cacheWrite ?? 0),
  output_tokens: tokens.output ?? 0,
  web_searches: tokens.webSearchRequests ?? 0,
})

const modelsOf = (provider: Provider, now: Date): ListedModel[] =>
  provider.models.flatMap((model) => {
    const price = currentPrice(provider, model, now)
    return price ? [{ id: model.id, provider: provider.id, price }] : []
  })

/** The prices of a model can depend on the date and the time of day. */
const currentPrice = (provider: Provider, model: ModelInfo, now: Date): ModelPrice | undefined => {
  if (!Array.isArray(model.prices)) return priceOf(model.prices)
  const result = priceAt({ id: model.id, provider: provider.id }, noTokens, now)
  return result && priceOf(result.model_price)
}

/** A price as we show it; undefined unless it has prices for input and output. */
const priceOf = (raw: RawPrice): ModelPrice | undefined => {
  const base = ratesOf(raw, (value) => (typeof value === 'object' ? value.base : value))
  if (!base) return undefined
  const starts = new Set(
    Object.values(raw).flatMap((value) =>
      typeof value === 'object' ? value.tiers.map(({ start }) => start) : [],
    ),
  )
  const tiers = [...starts]
    .sort((left, right) => left - right)
    .flatMap((above) => {
      const rates = ratesOf(raw, (value) =>
        typeof value === 'object'
          ? (value.tiers.findLast(({ start }) => start <= above)?.price ?? value.base)
          : value,
      )
      return rates ? [{ above, ...rates }] : []
    })
  return { ...base, ...(tiers.length > 0 && { tiers }) }
}

const ratesOf = (
  raw: RawPrice,
  rateOf: (value: RawPrice[string]) => number | undefined,
): Omit<ModelPrice, 'tiers'> | undefined => {
  const input = rateOf(raw.input_mtok)
  const output = rateOf(raw.output_mtok)
  if (input === undefined || output === undefined) return undefined
  const cacheRead = rateOf(raw.cache_read_mtok)
  const cacheWrite = rateOf(raw.cache_write_mtok)
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  }
}
