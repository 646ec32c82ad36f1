import type { Command } from 'commander'
import { absolutePath, dataOf, dataOption, example, tokenOption, urlOption } from './options.ts'
import type { CliContext } from './verb.ts'

interface ParsedWatched {
  json: boolean
  data?: string
  url?: string
  token?: string
}

/** Adds `watched`, with `off` and `on`. */
export const watchedVerbs = (program: Command, context: CliContext): void => {
  const verb = withOptions(program.command('watched'))
    .description('list the directories whose sessions the server reads')
    .helpCommand(false)
    .addHelpText('after', example('sluice watched'))
    .action(async (options: ParsedWatched) => {
      const { listWatched } = await import('../watched.ts')
      const data = await dataOf(options)
      context.exitCode = await listWatched({ ...options, data }, context.terminal)
    })
  for (const state of ['off', 'on'] as const) addSwitch(verb, state, context)
}

const addSwitch = (verb: Command, state: 'on' | 'off', context: CliContext) =>
  withOptions(verb.command(state))
    .description(
      state === 'off'
        ? 'read the sessions of an agent or a project no more'
        : 'read the sessions of an agent or a project again',
    )
    .argument('[agent]', 'the name of an agent, such as claude')
    .option('--project <directory>', 'a directory, with everything below it', absolutePath)
    .addHelpText('after', example(`sluice watched ${state} --project ~/private`))
    .action(async (agent: string | undefined, _: unknown, command: Command) => {
      // The parent has options of the same names, and reads them first.
      const options: ParsedWatched & { project?: string } = command.optsWithGlobals()
      const { switchWatched } = await import('../watched.ts')
      const data = await dataOf(options)
      const { terminal } = context
      context.exitCode = await switchWatched({ ...options, agent, state, data }, terminal)
    })

const withOptions = (command: Command): Command =>
  command
    .option('--json', 'print JSON', false)
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(dataOption())
