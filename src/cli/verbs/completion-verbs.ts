import { Argument, type Command } from 'commander'
import { type ShellName, shellNames } from '../shell-names.ts'
import { dataOf, example } from './options.ts'
import type { CliContext } from './verb.ts'

/** Adds `completion`, and the hidden verb that its scripts run. */
export const completionVerbs = (program: Command, context: CliContext): void => {
  program
    .command('completion')
    .description('print a script that completes verbs, options and sessions in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shellNames))
    .addHelpText('after', example('source <(sluice completion bash)'))
    .action(async (shell: ShellName) => {
      const { printCompletion } = await import('../completion.ts')
      context.exitCode = await printCompletion(shell, context.terminal)
    })
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => {
      const { complete } = await import('../complete.ts')
      context.exitCode = await complete(program, words, await dataOf({}), context.terminal)
    })
}
