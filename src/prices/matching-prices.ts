import type { PricedModel } from '../api/types.ts'
import type { PriceBook } from './price-book.ts'

/**
 * The models to show for a text: own prices first, then the one whose price a session would use, then
 * all others whose name contains the text. Without a text, only own prices.
 */
export const matchingPrices = async (
  book: PriceBook,
  { text, all = false }: { text?: string | undefined; all?: boolean },
): Promise<PricedModel[]> => {
  const own = Object.entries(book.own.all()).map(
    ([model, price]): PricedModel => ({ model, provider: null, price }),
  )
  if (text === undefined && !all) return own
  const listed = (await book.list.models()).map(
    ({ id, provider, price }): PricedModel => ({ model: id, provider, price }),
  )
  const wanted = text?.toLowerCase()
  const isMatch = ({ model, provider }: PricedModel) =>
    wanted === undefined || model.toLowerCase().includes(wanted) || provider === wanted
  const { id, provider } = (text === undefined ? undefined : book.find(text)?.listed) ?? {}
  const isUsed = (row: PricedModel) => row.model === id && row.provider === provider
  return [
    ...own.filter(isMatch),
    ...listed.filter(isUsed),
    ...listed.filter((row) => isMatch(row) && !isUsed(row)),
  ]
}
