import type { ModelPrice, PricedModel } from '../api/types.ts'
import { makeDirectory } from '../files/make-directory.ts'
import { matchingPrices } from '../prices/matching-prices.ts'
import { loadPriceBook, ownPricesName, type PriceBook } from '../prices/price-book.ts'
import { priceListName } from '../prices/price-list-version.ts'
import { Fault } from '../shared/fault.ts'
import { reasonOf } from '../shared/reason.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { type PriceRow, priceTable } from './price-table.ts'
import { printError, type Terminal } from './terminal.ts'

export interface ListPricesOptions {
  data: string
  text?: string
  all: boolean
  json: boolean
}

/** `sluice prices`: your own prices, and those of the price list that match a text. */
export const listPrices = async (
  options: ListPricesOptions,
  terminal: Terminal,
): Promise<number> => {
  const book = await loadPriceBook(options.data, { onError: throwIt })
  const rows = (await matchingPrices(book, options)).map(rowOf)
  if (options.json) for (const row of rows) terminal.writeJson(row)
  else terminal.write(await textOf(rows, book, options, terminal))
  await terminal.flush()
  if (rows.length > 0 || options.text === undefined) return exitCodes.done
  printError(noMatch(options.text))
  return exitCodes.failed
}

const throwIt = (cause: unknown): never => {
  throw cause
}

const noMatch = (text: string): string =>
  `no model matches “${plainLine(text)}”. To set a price: sluice prices set ${plainLine(text)} --input <usd> --output <usd>`

const rowOf = ({ model, provider, price }: PricedModel): PriceRow => ({
  model,
  provider,
  priceList: provider === null ? ownPricesName : priceListName,
  ...price,
})

const textOf = async (
  rows: readonly PriceRow[],
  book: PriceBook,
  { text, all }: ListPricesOptions,
  terminal: Terminal,
): Promise<string> => {
  if (rows.length === 0 && text !== undefined) return ''
  const count = (await book.list.models()).length
  const about = `Price list: ${priceListName}, ${count.toLocaleString('en-US')} models.`
  const hint = 'To see prices: sluice prices <part of a name>. To set your own: sluice prices set.'
  if (rows.length === 0) return `${about}\nYou have set no prices of your own.\n${hint}\n`
  const table = priceTable(rows, terminal.size()?.columns ?? 80)
  return `${about}\nUS dollars per million tokens.\n\n${table}${text === undefined && !all ? `\n${hint}\n` : ''}`
}

export interface SetPriceOptions {
  data: string
  model: string
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
  above?: number
  aboveInput?: number
  aboveOutput?: number
  aboveCacheRead?: number
  aboveCacheWrite?: number
}

/** `sluice prices set`. */
export const setPrice = async (options: SetPriceOptions, terminal: Terminal): Promise<number> => {
  const { data, model, input, output, cacheRead, cacheWrite } = options
  const price: ModelPrice = {
    ...{ input, output },
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...tiersOf(options),
  }
  prepareDirectory(data)
  const book = await loadPriceBook(data, { onError: throwIt })
  const before = book.find(model)
  book.own.set(model, price)
  const replaced = before
    ? `It replaces ${before.source === 'own' ? 'your earlier price' : `the one of ${priceListName}`}.`
    : 'The model had no price.'
  terminal.write(`Set the price of ${plainLine(model)}. ${replaced}\n`)
  terminal.write('It holds for model calls from now on. Stored amounts do not change.\n')
  await terminal.flush()
  return exitCodes.done
}

const prepareDirectory = (data: string): void => {
  try {
    makeDirectory(data)
  } catch (cause) {
    throw new Fault('data_not_opened', `Cannot create ${data}: ${reasonOf(cause)}`, { cause })
  }
}

const tiersOf = (options: SetPriceOptions): Pick<ModelPrice, 'tiers'> => {
  const { above, aboveInput: input, aboveOutput: output } = options
  const { aboveCacheRead: cacheRead, aboveCacheWrite: cacheWrite } = options
  const isGiven = [input, output, cacheRead, cacheWrite].some((each) => each !== undefined)
  if (above === undefined && !isGiven) return {}
  if (above === undefined || input === undefined || output === undefined)
    throw new Fault('usage', 'Give --above, --above-input and --above-output together.')
  return {
    tiers: [
      {
        ...{ above, input, output },
        ...(cacheRead !== undefined && { cacheRead }),
        ...(cacheWrite !== undefined && { cacheWrite }),
      },
    ],
  }
}

/** `sluice prices unset`. */
export const unsetPrice = async (
  { data, model }: { data: string; model: string },
  terminal: Terminal,
): Promise<number> => {
  const book = await loadPriceBook(data, { onError: throwIt })
  if (!book.own.remove(model)) {
    printError(`you have set no price for ${plainLine(model)}.`)
    return exitCodes.failed
  }
  const now = book.find(model)
  const rest = now ? `The price of ${priceListName} holds again.` : 'The model has no price now.'
  terminal.write(`Removed the price of ${plainLine(model)}. ${rest}\n`)
  await terminal.flush()
  return exitCodes.done
}
