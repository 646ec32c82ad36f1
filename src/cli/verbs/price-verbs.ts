import { type Command, InvalidArgumentError } from 'commander'
import type { ListPricesOptions, SetPriceOptions } from '../prices.ts'
import { dataOf, dataOption, example, positiveNumber } from './options.ts'
import type { CliContext } from './verb.ts'

/** Adds `prices`. */
export const priceVerbs = (program: Command, context: CliContext): void => {
  const prices = program
    .command('prices')
    .description('show the prices of models, or set your own')
    .helpCommand(false)
    .addHelpText('after', example('sluice prices opus'))
  addList(prices, context)
  addSet(prices, context)
  addUnset(prices, context)
}

type WithoutData<Options> = Omit<Options, 'data'> & { data?: string }

const addList = (prices: Command, context: CliContext) =>
  prices
    .command('list', { isDefault: true })
    .description('list the prices of the models whose name contains a text, and your own')
    .argument('[text]', 'a part of the name, or the name of a provider')
    .option('--all', 'list every model of the price list', false)
    .addOption(dataOption())
    .option('--json', 'print one JSON object per line', false)
    .addHelpText('after', example('sluice prices opus'))
    .action(
      async (text: string | undefined, options: WithoutData<Omit<ListPricesOptions, 'text'>>) => {
        const { listPrices } = await import('../prices.ts')
        const data = await dataOf(options)
        context.exitCode = await listPrices(
          { ...options, ...(text !== undefined && { text }), data },
          context.terminal,
        )
      },
    )

const addSet = (prices: Command, context: CliContext) =>
  prices
    .command('set')
    .description('set your own price for a model, in US dollars per million tokens')
    .argument('<model>', 'the model, by the name that the agent uses', modelName)
    .requiredOption('--input <usd>', 'price of input tokens', dollars)
    .requiredOption('--output <usd>', 'price of output tokens', dollars)
    .option('--cache-read <usd>', 'price of cached input (default: like --input)', dollars)
    .option(
      '--cache-write <usd>',
      'price of input written to a cache (default: like --input)',
      dollars,
    )
    .option('--above <tokens>', 'other prices for calls with more input than this', positiveNumber)
    .option('--above-input <usd>', 'price of input tokens of such a call', dollars)
    .option('--above-output <usd>', 'price of output tokens of such a call', dollars)
    .option('--above-cache-read <usd>', 'price of cached input of such a call', dollars)
    .option('--above-cache-write <usd>', 'price of cache writes of such a call', dollars)
    .addOption(dataOption())
    .addHelpText(
      'after',
      example('sluice prices set my-model --input 3 --output 15 --cache-read 0.3'),
    )
    .action(async (model: string, options: WithoutData<Omit<SetPriceOptions, 'model'>>) => {
      const { setPrice } = await import('../prices.ts')
      const data = await dataOf(options)
      context.exitCode = await setPrice({ ...options, model, data }, context.terminal)
    })

const addUnset = (prices: Command, context: CliContext) =>
  prices
    .command('unset')
    .description('remove your own price for a model')
    .argument('<model>', 'the model, as `sluice prices` names it')
    .addOption(dataOption())
    .addHelpText('after', example('sluice prices unset my-model'))
    .action(async (model: string, options: { data?: string }) => {
      const { unsetPrice } = await import('../prices.ts')
      const data = await dataOf(options)
      context.exitCode = await unsetPrice({ model, data }, context.terminal)
    })

const dollars = (text: string): number => {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && value <= 1_000_000) return value
  throw new InvalidArgumentError('Give an amount in US dollars, such as 3 or 0.25.')
}

const modelName = (text: string): string => {
  if (text.trim() !== '' && text.length <= 200) return text
  throw new InvalidArgumentError('Give the name of a model.')
}
