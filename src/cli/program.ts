import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { type AgentName, agentNames, isAgentName } from '../agents/table.ts'
import type { ApprovalPolicy } from '../session/conversation/approvals.ts'
import { Fault } from '../shared/fault.ts'
import { exitCodes } from './exit.ts'
import { errorForm, helpForm, hintAt } from './help.ts'
import { isOutName, type OutName, outNames } from './outputs.ts'
import { createTerminal } from './terminal.ts'
import { version } from './version.ts'

/** Reads the arguments, runs one verb, and gives the exit code. A verb is loaded when asked for. */
export const main = async (argv: readonly string[]): Promise<number> => {
  const closed = new AbortController()
  const terminal = createTerminal(process.stdout, () => closed.abort())
  // Whoever read it went away: that is no reason to end in disorder.
  process.stderr.on('error', () => {})
  let code: number = exitCodes.done

  const program = new Command('sluice')
    .description('One live event stream for every coding agent.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .configureHelp(helpForm)
    .configureOutput(errorForm)

  program
    .command('decode')
    .description('turn an agent’s recorded or piped stream into Sluice’s events')
    .argument('<agent>', names, agentName)
    .argument('[file]', 'a recording, or - for stdin', '-')
    .addOption(outOption())
    .option('--pace <ms>', 'milliseconds between lines, to watch a recording as if live', count)
    .addHelpText('after', example('pi -p --mode json "Hello" | sluice decode pi --out events'))
    .action(async (agent: AgentName, file: string, options: { out: OutName; pace?: number }) => {
      const { decode } = await import('./decode.ts')
      code = await decode({ agent, file, ...options }, terminal)
    })

  program
    .command('run')
    .description('start an agent for one prompt and show its stream')
    .argument('<agent>', names, agentName)
    .argument('<prompt>', 'what the agent is asked')
    .argument('[extra...]', 'after --: further arguments for the agent')
    .addOption(outOption())
    .option('--model <model>', 'the model, as the agent names it')
    .option('--cwd <directory>', 'where the agent works', wholePath, process.cwd())
    .addHelpText('after', example('sluice run pi "Fix the failing test" -- --no-session'))
    .action(async (agent: AgentName, prompt: string, extra: string[], options) => {
      const { run } = await import('./run.ts')
      const asked: { out: OutName; cwd: string; model?: string } = options
      code = await run({ agent, prompt, extra, ...asked }, terminal, closed.signal)
    })

  program
    .command('chat')
    .description('talk to an agent in the terminal, over a session that is kept')
    .argument('[agent]', `${names} (default: pi)`, agentName)
    .option('--cwd <directory>', 'where the agent works (default: the current one)', wholePath)
    .option('--model <model>', 'the model, as the agent names it')
    .addOption(
      new Option('--approve <how>', 'what happens before a tool runs')
        .choices(['ask', 'allow', 'deny'])
        .default('ask'),
    )
    .option('--resume <id>', 'go on with a session')
    .addOption(dataOption())
    .addHelpText('after', example('sluice chat claude --approve ask'))
    .action(async (agent: AgentName | undefined, options) => {
      const { chat } = await import('./chat.ts')
      const asked: { cwd?: string; approve: ApprovalPolicy; model?: string; resume?: string } =
        options
      const named = { ...asked, ...(agent !== undefined && { agent }) }
      code = await chat({ ...named, data: await dataOf(options) }, terminal, closed.signal)
    })

  program
    .command('serve')
    .description('serve sessions over HTTP, with live streams for browsers and programs')
    .option('--host <address>', 'what to listen on', '127.0.0.1')
    .option('--port <number>', 'which port, 0 for any that is free', portNumber, 3000)
    .addOption(dataOption())
    .addOption(
      new Option(
        '--durability <how>',
        'what events survive: a power cut, or a crash only (quicker)',
      )
        .choices(['full', 'normal'])
        .default('full'),
    )
    .option('--root <directory>', 'below which projects may lie; can be given again', also, [])
    .option('--public-url <url>', 'how it is reached through a proxy', webAddress)
    .addOption(
      new Option('--log-level <level>', 'how much is logged, on stderr')
        .choices(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'])
        .default('info'),
    )
    .option('--no-auth', 'let everybody in; only on the loopback')
    .option('--finish-runs', 'when stopped, let agents finish first', false)
    .addHelpText('after', example('sluice serve --port 8080 --root ~/projects'))
    .action(async (options) => {
      const { serve } = await import('./serve.ts')
      code = await serve({ ...options, data: await dataOf(options) }, terminal)
    })

  program
    .command('sessions')
    .description('the sessions that are kept, newest first')
    .addOption(dataOption())
    .option('--json', 'one JSON object per line', false)
    .addHelpText('after', example('sluice sessions --json | jq -r .id'))
    .action(async (options: { data?: string; json: boolean }) => {
      const { sessions } = await import('./sessions.ts')
      code = await sessions({ json: options.json, data: await dataOf(options) }, terminal)
    })

  const keys = program
    .command('keys')
    .description('who may use the server: API keys')
    .helpCommand(false)
  keys
    .command('add')
    .description('make a key, and show it this once')
    .argument('<name>', 'what it is for', keyName)
    .option('--scopes <list>', 'of read, prompt, approve, admin', 'read')
    .addOption(dataOption())
    .option('--json', 'as a JSON object', false)
    .addHelpText('after', example('TOKEN=$(sluice keys add ci --scopes read,prompt)'))
    .action(async (name: string, options: { data?: string; json: boolean; scopes: string }) => {
      const { addKey } = await import('./keys.ts')
      code = await addKey({ name, ...options, data: await dataOf(options) }, terminal)
    })
  keys
    .command('list')
    .description('all keys, without the keys themselves')
    .addOption(dataOption())
    .option('--json', 'one JSON object per line', false)
    .action(async (options: { data?: string; json: boolean }) => {
      const { listKeys } = await import('./keys.ts')
      code = await listKeys({ json: options.json, data: await dataOf(options) }, terminal)
    })
  keys
    .command('revoke')
    .description('end a key at once, with all tokens made from it')
    .argument('<id>', 'as `sluice keys list` has it')
    .addOption(dataOption())
    .option('--json', 'as a JSON object', false)
    .action(async (id: string, options: { data?: string; json: boolean }) => {
      const { revokeKey } = await import('./keys.ts')
      code = await revokeKey({ id, json: options.json, data: await dataOf(options) }, terminal)
    })

  program
    .command('corpus')
    .description('decode every recording below <agent>/<version>/ in a directory')
    .argument('<directory>', 'where the recordings are')
    .option('--json', 'one JSON object per line', false)
    .addHelpText('after', example('sluice corpus recordings --json | jq .costUsd'))
    .action(async (directory: string, options: { json: boolean }) => {
      const { corpus } = await import('./corpus.ts')
      code = await corpus({ directory, ...options }, terminal)
    })

  program
    .command('agents')
    .description('which agents are installed, where, in which version')
    .option('--json', 'one JSON object per line', false)
    .addHelpText('after', example('PI_BIN=./node_modules/.bin/pi sluice agents'))
    .action(async (options: { json: boolean }) => {
      const { agents } = await import('./agents.ts')
      code = await agents(options, terminal)
    })

  hintAt(program)
  try {
    if (argv.length === 0) program.help()
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    if (!(error instanceof Fault)) throw error
    process.stderr.write(`sluice: ${error.message}\n`)
    const isOurs = error.code !== 'agent_not_started' && error.code !== 'not_listening'
    return isOurs ? exitCodes.usage : exitCodes.failed
  }
  return code
}

const names = agentNames.join(' or ')

const agentName = (name: string): AgentName => {
  if (isAgentName(name)) return name
  throw new InvalidArgumentError(`It must be ${names}.`)
}

const count = (text: string): number => {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0) return value
  throw new InvalidArgumentError('It must be a whole number.')
}

const portNumber = (text: string): number => {
  const value = Number(text)
  if (/^\d+$/.test(text) && value <= 65_535) return value
  throw new InvalidArgumentError('It must be a number from 0 to 65535.')
}

const keyName = (text: string): string => {
  if (text.trim() !== '') return text
  throw new InvalidArgumentError('It must not be empty.')
}

/** What is kept must mean the same when it is read from another directory. */
const wholePath = (path: string): string => resolve(path)

/** A directory that is there; the option can be given again. */
const also = (directory: string, before: string[]): string[] => {
  const path = wholePath(directory)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [...before, path]
  throw new InvalidArgumentError('There is no such directory.')
}

const webAddress = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return url.href
  throw new InvalidArgumentError('It must be like https://sluice.example.org/.')
}

const outOption = () =>
  new Option('--out <form>', `what to print: ${outNames.join(', ')}`)
    .default('pretty')
    .argParser((name) => {
      if (isOutName(name)) return name
      throw new InvalidArgumentError(`It must be one of ${outNames.join(', ')}.`)
    })

const dataOption = () =>
  new Option('--data <directory>', 'where everything is kept (default: ~/.sluice)').argParser(
    wholePath,
  )

const dataOf = async (options: { data?: string }): Promise<string> => {
  if (options.data !== undefined) return options.data
  const { defaultData } = await import('./open-log.ts')
  return defaultData()
}

const example = (line: string) => `\nExample:\n  ${line}`
