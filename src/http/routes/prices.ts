import { priceChange, priceQuery, priceReport } from '../../api/price.ts'
import type { PriceReport } from '../../api/types.ts'
import { matchingPrices } from '../../prices/matching-prices.ts'
import type { PriceBook } from '../../prices/price-book.ts'
import { priceListName, priceListVersion } from '../../prices/price-list-version.ts'
import { Problem } from '../../shared/problem.ts'
import { endpoints } from '../endpoints.ts'
import { route } from './route.ts'

const tag = 'Cost'
const problems = ['prices_unreadable'] as const

/** Prices of models, for agents that report no cost. */
export const priceRoutes = [
  route({
    endpoint: endpoints.getPrices,
    tag,
    summary: 'Get the prices of models',
    description:
      'Sluice uses them where an agent reports no cost. Amounts that are stored do not change with the prices.',
    parts: { query: priceQuery },
    reply: { status: 200, schema: priceReport },
    problems,
    async handle({ query: { search, limit = 100 } }, { app }) {
      const book = await app.prices?.()
      return { status: 200, body: await reportOf(book, search, limit) }
    },
  }),
  route({
    endpoint: endpoints.setPrice,
    tag,
    summary: 'Set the price of a model, or remove the one that was set',
    description: 'It holds for model calls from now on, in all sessions of this server.',
    parts: { body: priceChange },
    reply: { status: 200, schema: priceReport },
    problems: [...problems, 'not_found'],
    async handle({ body: { model, price } }, { app, audit }) {
      const book = await app.prices?.()
      if (!book)
        throw new Problem(
          404,
          'not_found',
          'The program that started this server sets its prices. They cannot be changed here.',
        )
      if (price) book.own.set(model, price)
      else book.own.remove(model)
      audit({ action: price ? 'price_set' : 'price_removed', detail: model })
      return { status: 200, body: await reportOf(book, model, 100) }
    },
  }),
]

const reportOf = async (
  book: PriceBook | undefined,
  text: string | undefined,
  limit: number,
): Promise<PriceReport> => {
  if (!book) return { models: [], more: false }
  const { version, date } = priceListVersion
  const models = await matchingPrices(book, { text })
  const count = (await book.list.models()).length
  return {
    priceList: { name: priceListName, version, date, models: count },
    models: models.slice(0, limit),
    more: models.length > limit,
  }
}
