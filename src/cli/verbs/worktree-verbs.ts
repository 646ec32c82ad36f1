import type { Command } from 'commander'
import { absolutePath, dataOf, dataOption, example, tokenOption, urlOption } from './options.ts'
import type { CliContext } from './verb.ts'

interface ParsedWorktrees {
  cwd: string
  json: boolean
  data?: string
  url?: string
  token?: string
}

/** Adds `worktrees`, with `remove`. */
export const worktreeVerbs = (program: Command, context: CliContext): void => {
  const verb = withOptions(program.command('worktrees'))
    .description('list the git worktrees that were made for sessions')
    .helpCommand(false)
    .addHelpText('after', example('sluice worktrees --json | jq -r .path'))
    .action(async (options: ParsedWorktrees) => {
      const { printWorktrees } = await import('../worktrees.ts')
      const data = await dataOf(options)
      context.exitCode = await printWorktrees({ ...options, data }, context.terminal)
    })
  withOptions(verb.command('remove'))
    .description('delete worktrees; without names, all in which everything is committed')
    .argument('[names...]', 'names, branches or paths of worktrees')
    .option('--force', 'also with changes that are not committed, which are lost', false)
    .addHelpText('after', example('sluice worktrees remove 3f2a1c-pi --force'))
    .action(async (names: string[], _: unknown, command: Command) => {
      // The parent has options of the same names, and reads them first.
      const options: ParsedWorktrees & { force: boolean } = command.optsWithGlobals()
      const { removeWorktrees } = await import('../worktrees.ts')
      const data = await dataOf(options)
      context.exitCode = await removeWorktrees({ ...options, names, data }, context.terminal)
    })
}

const withOptions = (command: Command): Command =>
  command
    .option('--cwd <directory>', 'the project', absolutePath, process.cwd())
    .option('--json', 'print one JSON object per line', false)
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(dataOption())
