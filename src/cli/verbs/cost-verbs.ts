import { type Command, Option } from 'commander'
import type { CostVerbOptions } from '../cost.ts'
import { dataOf, dataOption, example, positiveNumber, tokenOption, urlOption } from './options.ts'
import type { CliContext } from './verb.ts'

type ParsedOptions = Omit<CostVerbOptions, 'data'> & { data?: string; blocks: boolean }

/** Adds `cost`. */
export const costVerbs = (program: Command, context: CliContext): void => {
  program
    .command('cost')
    .description('show what sessions have cost; the server may keep running')
    .addOption(
      new Option('--by <what>', 'what a row is')
        .choices(['day', 'week', 'month', 'session', 'project', 'agent', 'model'])
        .default('day'),
    )
    .addOption(
      new Option('--blocks', 'rows of five hours, with the pace and a projection of the last')
        .default(false)
        .conflicts('by'),
    )
    .option('--breakdown', 'list the models of each row', false)
    .option('--since <time>', 'from a date, a time, today, yesterday, or so long ago, such as 7d')
    .option('--until <time>', 'to a date (with that day) or a time')
    .option('--timezone <name>', 'the time zone of days, such as UTC (default: yours)')
    .option('--project <project>', 'only sessions of this project, by its name or id')
    .option('--limit <rows>', 'how many rows to show (default: 60)', positiveNumber)
    .option('--plot', 'draw bars', false)
    .option('--json', 'print a JSON object', false)
    .addOption(new Option('--csv', 'print CSV').default(false).conflicts(['json', 'plot']))
    .option('--statusline', 'print one line for the status line of Claude Code', false)
    .addOption(dataOption())
    .addOption(urlOption())
    .addOption(tokenOption())
    .addHelpText('after', example('sluice cost --by model --since 7d'))
    .action(async ({ blocks, ...options }: ParsedOptions) => {
      const { showCost } = await import('../cost.ts')
      const by = blocks ? 'block' : options.by
      const data = await dataOf(options)
      context.exitCode = await showCost({ ...options, by, data }, context.terminal)
    })
}
