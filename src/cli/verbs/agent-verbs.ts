import type { Command } from 'commander'
import { dataOf, dataOption, example } from './options.ts'
import type { CliContext } from './verb.ts'

/** Adds `sessions` and `agents`. */
export const agentVerbs = (program: Command, context: CliContext): void => {
  addSessions(program, context)
  addAgents(program, context)
}

const addSessions = (program: Command, context: CliContext) =>
  program
    .command('sessions')
    .description('list the stored sessions, newest first')
    .addOption(dataOption())
    .option('--json', 'print one JSON object per line', false)
    .addHelpText('after', example('sluice sessions --json | jq -r .id'))
    .action(async (options: { data?: string; json: boolean }) => {
      const { listSessions } = await import('../sessions.ts')
      const data = await dataOf(options)
      context.exitCode = await listSessions({ json: options.json, data }, context.terminal)
    })

const addAgents = (program: Command, context: CliContext) =>
  program
    .command('agents')
    .description('list the agents: whether, where and in which version they are installed')
    .option('--json', 'print one JSON object per line', false)
    .addHelpText('after', example('PI_BIN=./node_modules/.bin/pi sluice agents'))
    .action(async (options: { json: boolean }) => {
      const { listAgents } = await import('../agents.ts')
      context.exitCode = await listAgents(options, context.terminal)
    })
