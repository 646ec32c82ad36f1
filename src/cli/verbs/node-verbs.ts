import type { Command } from 'commander'
import { dataOf, dataOption, example, tokenOption, urlOption } from './options.ts'
import type { CliContext } from './verb.ts'

interface ParsedNodes {
  json: boolean
  data?: string
  url?: string
  token?: string
}

/** Adds `nodes`, with `drain`. */
export const nodeVerbs = (program: Command, context: CliContext): void => {
  const verb = withOptions(program.command('nodes'))
    .description('list the servers that share their sessions over NATS')
    .helpCommand(false)
    .addHelpText('after', example('sluice nodes --json | jq -r .name'))
    .action(async (options: ParsedNodes) => {
      const { listNodes } = await import('../nodes.ts')
      const data = await dataOf(options)
      context.exitCode = await listNodes({ ...options, data }, context.terminal)
    })
  withOptions(verb.command('drain'))
    .description('move the sessions of a node to others, and let its runs finish')
    .argument('<name>', 'the name of the node')
    .option('--undo', 'let the node take sessions again', false)
    .addHelpText('after', example('sluice nodes drain two'))
    .action(async (name: string, _: unknown, command: Command) => {
      // The parent has options of the same names, and reads them first.
      const options: ParsedNodes & { undo: boolean } = command.optsWithGlobals()
      const { drainNode } = await import('../nodes.ts')
      const data = await dataOf(options)
      context.exitCode = await drainNode({ ...options, name, data }, context.terminal)
    })
}

const withOptions = (command: Command): Command =>
  command
    .option('--json', 'print one JSON object per line', false)
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(dataOption())
