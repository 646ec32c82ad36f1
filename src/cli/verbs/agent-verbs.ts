import type { Command } from 'commander'
import { absolutePath, dataOf, dataOption, example, sessionWords } from './options.ts'
import type { CliContext } from './verb.ts'

/** Adds `sessions`, `pin`, `unpin` and `agents`. */
export const agentVerbs = (program: Command, context: CliContext): void => {
  addSessions(program, context)
  addPin(program, context)
  addUnpin(program, context)
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

const addPin = (program: Command, context: CliContext) =>
  addPinVerb(program.command('pin').description('keep a session, however old it is'), context, true)

const addUnpin = (program: Command, context: CliContext) => {
  const verb = program.command('unpin').description('let `serve --keep` delete a session again')
  addPinVerb(verb, context, false)
}

const addPinVerb = (verb: Command, context: CliContext, pinned: boolean): void => {
  verb
    .argument('<session>', sessionWords)
    .addOption(dataOption())
    .action(async (session: string, options: { data?: string }) => {
      const { pinSession } = await import('../sessions.ts')
      const data = await dataOf(options)
      context.exitCode = await pinSession({ session, data, pinned }, context.terminal)
    })
}

const addAgents = (program: Command, context: CliContext) =>
  program
    .command('agents')
    .description('list the agents: which are installed, what each can do, how to get the others')
    .option('--cwd <directory>', 'a project, which can name agents', absolutePath, process.cwd())
    .addOption(dataOption())
    .option('--json', 'print one JSON object per line', false)
    .addHelpText('after', example('PI_BIN=./node_modules/.bin/pi sluice agents'))
    .action(async (options: { data?: string; cwd: string; json: boolean }) => {
      const { listAgents } = await import('../agents.ts')
      const data = await dataOf(options)
      context.exitCode = await listAgents({ ...options, data }, context.terminal)
    })
