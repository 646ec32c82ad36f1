import type { Command } from 'commander'
import { dataOf, dataOption, example, sessionWords, tokenOption, urlOption } from './options.ts'
import type { CliContext } from './verb.ts'

interface ParsedInspect {
  json: boolean
  data?: string
  url?: string
  token?: string
}

/** Adds `tasks`, `context` and `output`: what there is to see in a session of a running server. */
export const inspectVerbs = (program: Command, context: CliContext): void => {
  addTasks(program, context)
  addContext(program, context)
  addOutput(program, context)
}

const addTasks = (program: Command, context: CliContext) =>
  withOptions(program.command('tasks'))
    .description('list what an agent does in the background: subagents and commands')
    .argument('<session>', sessionWords)
    .option('--output <task>', 'print the output of a task')
    .option('--stop <task>', 'stop a task; the run goes on')
    .addHelpText('after', example('sluice tasks 3f2a --stop bfcwo1pkw'))
    .action(
      async (session: string, options: ParsedInspect & { output?: string; stop?: string }) => {
        const { printTaskOutput, printTasks, stopTaskOnServer } = await import(
          '../inspect-session.ts'
        )
        const { output, stop, ...rest } = options
        const target = { ...rest, session, data: await dataOf(options) }
        const { terminal } = context
        if (stop !== undefined)
          context.exitCode = await stopTaskOnServer({ ...target, task: stop }, terminal)
        else if (output !== undefined)
          context.exitCode = await printTaskOutput({ ...target, task: output }, terminal)
        else context.exitCode = await printTasks(target, terminal)
      },
    )

const addContext = (program: Command, context: CliContext) =>
  withOptions(program.command('context'))
    .description('show how full the context of a session is, and what it consists of')
    .argument('<session>', sessionWords)
    .addHelpText('after', example('sluice context 3f2a'))
    .action(async (session: string, options: ParsedInspect) => {
      const { printContext } = await import('../inspect-session.ts')
      const data = await dataOf(options)
      context.exitCode = await printContext({ ...options, session, data }, context.terminal)
    })

const addOutput = (program: Command, context: CliContext) =>
  withOptions(program.command('output'))
    .description('print the complete output of a tool call')
    .argument('<session>', sessionWords)
    .argument('[call]', 'id of the call (default: the last one)')
    .addHelpText('after', example('sluice output 3f2a > build.log'))
    .action(async (session: string, call: string | undefined, options: ParsedInspect) => {
      const { printOutput } = await import('../inspect-session.ts')
      const named = { ...options, session, data: await dataOf(options) }
      const { terminal } = context
      context.exitCode = await printOutput(
        call === undefined ? named : { ...named, call },
        terminal,
      )
    })

const withOptions = (command: Command): Command =>
  command
    .option('--json', 'print JSON', false)
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(dataOption())
