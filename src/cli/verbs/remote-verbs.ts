import type { Command } from 'commander'
import type { TailVerbOptions } from '../tail.ts'
import {
  dataOf,
  dataOption,
  example,
  fileOption,
  pastTime,
  repeated,
  sessionWords,
  tokenOption,
  urlOption,
  wholeNumber,
} from './options.ts'
import type { CliContext } from './verb.ts'

/** How help texts describe which message a person means. */
const messageWords = 'last, the id of a message, or a part of its text'

/** What the options of these verbs are parsed to. */
interface RemoteOptions {
  url?: string
  token?: string
  data?: string
}

type ForkVerbOptions = RemoteOptions & { name?: string; before?: string; json: boolean }
type ContinueVerbOptions = RemoteOptions & { confirm: boolean; lostNode?: string; json: boolean }
type RewindVerbOptions = RemoteOptions & { before: string; dryRun: boolean; json: boolean }
type SteerVerbOptions = RemoteOptions & { queue: boolean; json: boolean; file?: string[] }
type TailVerbParsed = RemoteOptions & Omit<TailVerbOptions, 'data' | 'session'>

/** Adds `attach`, `fork`, `rewind`, `steer`, `abort` and `tail`, for sessions that run elsewhere. */
export const remoteVerbs = (program: Command, context: CliContext): void => {
  addAttach(program, context)
  addFork(program, context)
  addContinue(program, context)
  addRewind(program, context)
  addSteer(program, context)
  addAbort(program, context)
  addTail(program, context)
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

const addFork = (program: Command, context: CliContext) =>
  program
    .command('fork')
    .description('continue the conversation of a session in a new one, and print its id')
    .argument('<session>', sessionWords)
    .option('--name <name>', 'name of the new session')
    .option('--before <message>', `where the copy ends: ${messageWords}`)
    .option('--json', 'print the new session as JSON', false)
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(dataOption())
    .addHelpText('after', example('sluice fork 3f2a --name "The other way"'))
    .action(async (session: string, options: ForkVerbOptions) => {
      const { forkOnServer } = await import('../fork.ts')
      const data = await dataOf(options)
      context.exitCode = await forkOnServer({ ...options, data, session }, context.terminal)
    })

const addContinue = (program: Command, context: CliContext) =>
  program
    .command('continue')
    .description('let Sluice run the agent of a session that began outside it')
    .argument('<session>', sessionWords)
    .option('--confirm', 'no other program works in the session, where Sluice cannot tell', false)
    .option(
      '--lost-node <name>',
      'the node is gone: its machine for good, or the agent there has ended',
    )
    .option('--json', 'print the session as JSON', false)
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(dataOption())
    .addHelpText('after', example('sluice continue 3f2a'))
    .action(async (session: string, options: ContinueVerbOptions) => {
      const { continueOnServer } = await import('../continue.ts')
      const data = await dataOf(options)
      context.exitCode = await continueOnServer({ ...options, data, session }, context.terminal)
    })

const addRewind = (program: Command, context: CliContext) =>
  program
    .command('rewind')
    .description('restore the files that an agent edited to their state before a message')
    .argument('<session>', sessionWords)
    .requiredOption('--before <message>', messageWords)
    .option('--dry-run', 'only print what would change', false)
    .option('--json', 'print a JSON object', false)
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(dataOption())
    .addHelpText('after', example('sluice rewind 3f2a --before last --dry-run'))
    .action(async (session: string, options: RewindVerbOptions) => {
      const { rewindOnServer } = await import('../rewind.ts')
      const data = await dataOf(options)
      context.exitCode = await rewindOnServer({ ...options, data, session }, context.terminal)
    })

const addSteer = (program: Command, context: CliContext) =>
  program
    .command('steer')
    .description('send a message into the run of a session of a running server')
    .argument('<session>', sessionWords)
    .argument('<text...>', 'the message, or - to read it from stdin')
    .option('--queue', 'deliver it when the run is over', false)
    .addOption(fileOption())
    .option('--json', 'print a JSON object', false)
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(dataOption())
    .addHelpText('after', example('sluice steer 3f2a "Use the other library"'))
    .action(async (session: string, words: string[], options: SteerVerbOptions) => {
      const { steerOnServer } = await import('../steer.ts')
      const [text, data] = [words.join(' '), await dataOf(options)]
      context.exitCode = await steerOnServer({ ...options, data, session, text }, context.terminal)
    })

const addAbort = (program: Command, context: CliContext) =>
  program
    .command('abort')
    .description('stop the run of a session of a running server')
    .argument('<session>', sessionWords)
    .option('--json', 'print a JSON object', false)
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(dataOption())
    .addHelpText('after', example('sluice abort 3f2a'))
    .action(async (session: string, options: RemoteOptions & { json: boolean }) => {
      const { abortOnServer } = await import('../steer.ts')
      const data = await dataOf(options)
      context.exitCode = await abortOnServer({ ...options, data, session }, context.terminal)
    })

const addTail = (program: Command, context: CliContext) =>
  program
    .command('tail')
    .description('print the events of a session as they are stored')
    .argument('[session]', `${sessionWords} (default: the one that was used last)`)
    .option('--all', 'follow all sessions', false)
    .option('--filter <filter>', 'only type=…, tool=… or agent=…; repeatable', repeated, [])
    .option('--since <time>', 'start at this time: 10m ago, or 2026-01-31T09:00', pastTime)
    .option('--lines <number>', 'start with so many events of one session', wholeNumber, 10)
    .option('--no-follow', 'do not wait for more events')
    .option('--json', 'print each event as JSON, and all types', false)
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(dataOption())
    .addHelpText('after', example("sluice tail --all --filter 'type=tool_*,error'"))
    .action(async (session: string | undefined, options: TailVerbParsed) => {
      const { tail } = await import('../tail.ts')
      const data = await dataOf(options)
      const { terminal, closed } = context
      const named = { ...options, ...(session !== undefined && { session }), data }
      context.exitCode = await tail(named, terminal, closed)
    })
