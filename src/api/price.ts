import { z } from 'zod'
import { count } from './fields.ts'

const usd = z.number().nonnegative().max(1_000_000)
const model = z.string().min(1).max(200)

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
  .describe('Prices of calls with a long context, in US dollars per million tokens.')

export const modelPrice = z
  .strictObject({
    ...rates,
    tiers: z.array(priceTier).max(20).optional().describe('Prices of calls with a long context.'),
  })
  .describe('Prices of one model, in US dollars per million tokens.')

export const pricedModel = z
  .object({
    model: z.string().describe('Name of the model.'),
    provider: z
      .string()
      .nullable()
      .describe('Who offers it at this price. Null for a price that was set here.'),
    price: modelPrice,
  })
  .describe('A model with its price.')

export const priceListInfo = z
  .object({
    name: z.string().describe('Name, version and date of the list, as events show it.'),
    version: z.string().describe('Version of the list.'),
    date: z.string().describe('When this version was published, such as `2026-09-23`.'),
    models: count.describe('How many models have a price.'),
  })
  .describe('The price list that the server contains.')

export const priceQuery = z
  .strictObject({
    search: model
      .optional()
      .describe('Part of the name of a model, or a provider. Default: only prices set here.'),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(2000)
      .optional()
      .describe('Maximum number of models. Default: 100.'),
  })
  .describe('Query of `GET prices`.')

export const priceReport = z
  .object({
    priceList: priceListInfo
      .optional()
      .describe('Absent if the program that runs the server brings prices of its own.'),
    models: z
      .array(pricedModel)
      .describe('Prices that were set here first, then those of the list that match the search.'),
    more: z.boolean().describe('Whether the limit left models out.'),
  })
  .describe('Response of `GET prices`.')

export const priceChange = z
  .strictObject({
    model: model.describe('Name of the model, as the agent uses it.'),
    price: modelPrice.nullable().describe('The price. Null removes the price that was set here.'),
  })
  .describe('Body of `PATCH prices`.')
