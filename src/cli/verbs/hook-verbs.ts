import type { Command } from 'commander'
import { absolutePath, dataOf, dataOption, example } from './options.ts'
import type { CliContext } from './verb.ts'

interface ParsedHooks {
  project?: string | true
  data?: string
}

/** Adds `hooks` with `install`, `status` and `remove`. */
export const hookVerbs = (program: Command, context: CliContext): void => {
  const hooks = program
    .command('hooks')
    .description('let agents in your own terminals ask for approvals through Sluice')
    .helpCommand(false)
  addInstall(hooks, context)
  addStatus(hooks, context)
  addRemove(hooks, context)
}

const addInstall = (hooks: Command, context: CliContext) =>
  withProject(hooks.command('install'))
    .description('show and write what the settings of an agent need, so that it asks here')
    .argument('<agent>', agentNames)
    .option('--yes', 'write it without a question', false)
    .option('--ask', 'ask here, too, where an agent only reports by default (copilot)', false)
    .addHelpText('after', example('sluice hooks install claude'))
    .action(async (agent: string, options: ParsedHooks & { yes: boolean; ask: boolean }) => {
      const { installHooks } = await import('../hooks.ts')
      const { yes, ask: asks } = options
      context.exitCode = await installHooks(
        { agent, yes, asks, ...(await placeOf(options)) },
        context.terminal,
      )
    })

const addStatus = (hooks: Command, context: CliContext) =>
  withProject(hooks.command('status'))
    .description('list where the hooks are installed, and what they cannot do')
    .option('--json', 'print one JSON object per line', false)
    .addHelpText('after', example('sluice hooks status'))
    .action(async (options: ParsedHooks & { json: boolean }) => {
      const { printHooks } = await import('../hooks.ts')
      context.exitCode = await printHooks(
        { json: options.json, ...(await placeOf(options)) },
        context.terminal,
      )
    })

const addRemove = (hooks: Command, context: CliContext) =>
  withProject(hooks.command('remove'))
    .description('take exactly these hooks out of the settings of an agent')
    .argument('<agent>', agentNames)
    .option('--yes', 'write it without a question', false)
    .addHelpText('after', example('sluice hooks remove claude'))
    .action(async (agent: string, options: ParsedHooks & { yes: boolean }) => {
      const { removeHooksOf } = await import('../hooks.ts')
      context.exitCode = await removeHooksOf(
        { agent, yes: options.yes, ...(await placeOf(options)) },
        context.terminal,
      )
    })

// By name: loading what Sluice knows about their hooks would slow every start.
const agentNames = 'claude, codex, qwen, gemini, copilot or pi'

const withProject = (command: Command): Command =>
  command
    .option(
      '--project [directory]',
      'the settings of one project, for you only (default: all your projects)',
    )
    .addOption(dataOption())

const placeOf = async (options: ParsedHooks) => {
  const { project } = options
  const data = await dataOf({ ...(options.data !== undefined && { data: options.data }) })
  const directory = project === true ? process.cwd() : project
  return { data, project: directory === undefined ? undefined : absolutePath(directory) }
}
