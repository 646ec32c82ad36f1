import type { Command } from 'commander'
import { dataOf, dataOption, example, sessionWords, tokenOption, urlOption } from './options.ts'
import type { CliContext } from './verb.ts'

/** What the options of these verbs are parsed to. */
interface RemoteOptions {
  url?: string
  token?: string
  data?: string
}

/** Adds `attach`, `steer` and `abort`, for the sessions of a running server. */
export const remoteVerbs = (program: Command, context: CliContext): void => {
  addAttach(program, context)
}

const addAttach = (program: Command, context: CliContext) =>
  program
    .command('attach')
    .description('follow a session of a running server, and talk to its agent')
    .argument('<session>', sessionWords)
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(dataOption())
    .addHelpText('after', example('sluice attach 3f2a'))
    .action(async (session: string, options: RemoteOptions) => {
      const { attach } = await import('../chat.ts')
      const data = await dataOf(options)
      const { terminal, closed } = context
      context.exitCode = await attach({ ...options, data, session }, terminal, closed)
    })
