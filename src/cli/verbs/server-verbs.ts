import { type Command, Option } from 'commander'
import { limits, onBudgetOption } from './budget-options.ts'
import {
  approveOption,
  byteCount,
  dataOf,
  dataOption,
  duration,
  example,
  existingDirectory,
  existingFile,
  keepLimits,
  natsAddresses,
  portNumber,
  positiveNumber,
  sandboxOption,
  webAddress,
} from './options.ts'
import type { CliContext } from './verb.ts'

/** Adds `serve`, `pair` and `browsers`. */
export const serverVerbs = (program: Command, context: CliContext): void => {
  addServe(program, context)
  addPair(program, context)
  const browsers = program
    .command('browsers')
    .description('manage paired browsers')
    .helpCommand(false)
  addPasskeysReset(program, context)
  addBrowsersList(browsers, context)
  addBrowsersRevoke(browsers, context)
}

/** How a server is one of several nodes. */
const addNatsOptions = (serve: Command): Command =>
  serve
    .option(
      '--nats <addresses>',
      'store everything in this NATS cluster, and serve its sessions: nats://a:4222,b:4222',
      natsAddresses,
    )
    .option('--creds <file>', 'a file with NATS credentials', existingFile)
    .option('--node <name>', 'the name of this node (default: the name of the machine)')
    .option('--replicas <number>', 'how many NATS servers store everything', positiveNumber)
    .option(
      '--lease <time>',
      'how long this node may be silent before others take over its sessions (default: 15s)',
      duration,
    )
    .option('--tenant <name>', 'whose data it is, in a cluster of several tenants')
    .option('--history', 'store the conversations of agents in the cluster, for the other nodes')

const addServe = (program: Command, context: CliContext) =>
  addNatsOptions(program.command('serve'))
    .description('serve sessions over HTTP, with live streams for browsers and programs')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--port <number>', 'the port to listen on; 0 picks a free one', portNumber, 3000)
    .addOption(dataOption())
    .addOption(
      new Option('--durability <how>', 'events survive a power cut (full) or a crash (normal)')
        .choices(['full', 'normal'])
        .default('full'),
    )
    .option(
      '--min-free <size>',
      'stop agents below this much free space (default: 256MB, or 5 % of a smaller disk)',
      byteCount,
    )
    .option('--root <directory>', 'allow projects below this; repeatable', existingDirectory, [])
    .option('--public-url <url>', 'the address behind a proxy', webAddress)
    .addOption(sandboxOption())
    .addOption(approveOption())
    .option(
      '--approval-timeout <time>',
      'deny an approval after this time, such as 30m (default: wait for an answer)',
      duration,
    )
    .addOption(
      new Option('--idle-after <time>', 'end an agent without work after this time')
        .argParser(duration)
        .default(duration('15m'), '15m'),
    )
    .option(
      '--keep <limit>',
      'delete sessions not used for this time (90d), or for longest above this size (20GB); repeatable',
      keepLimits,
    )
    .option('--no-watch', 'do not read the sessions that agents store on this machine')
    .option('--budget-session <limits>', 'limit each session: cost=5,tokens=2M,time=4h', limits)
    .option('--budget-day <limits>', 'limit all sessions of a day, such as cost=50', limits)
    .addOption(onBudgetOption('at these limits, ask or stop the run (default: ask)'))
    .option('--max-agents <number>', 'how many agents may run at once', positiveNumber, 16)
    .addOption(
      new Option('--log-level <level>', 'how much to log on stderr')
        .choices(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'])
        .default('info'),
    )
    .option('--passkeys', 'require a passkey to allow an approval', false)
    .option('--no-auth', 'require no sign-in; only on a loopback address')
    .option('--finish-runs', 'when stopped, wait for running agents to finish', false)
    .addHelpText('after', example('sluice serve --port 8080 --root ~/projects'))
    .action(async (options) => {
      const { serve } = await import('../serve.ts')
      context.exitCode = await serve({ ...options, data: await dataOf(options) }, context.terminal)
    })

const addPair = (program: Command, context: CliContext) =>
  program
    .command('pair')
    .description('print a link that signs one browser in to the running server')
    .addOption(dataOption())
    .option('--json', 'print a JSON object', false)
    .action(async (options: { data?: string; json: boolean }) => {
      const { pair } = await import('../pair.ts')
      const data = await dataOf(options)
      context.exitCode = await pair({ json: options.json, data }, context.terminal)
    })

const addPasskeysReset = (program: Command, context: CliContext) =>
  program
    .command('passkeys')
    .description('manage passkeys')
    .helpCommand(false)
    .command('reset')
    .description('remove all passkeys, and require none; only while no server runs')
    .addOption(dataOption())
    .action(async (options: { data?: string }) => {
      const { resetPasskeys } = await import('../passkeys.ts')
      context.exitCode = await resetPasskeys({ data: await dataOf(options) }, context.terminal)
    })

const addBrowsersList = (browsers: Command, context: CliContext) =>
  browsers
    .command('list')
    .description('list the paired browsers')
    .addOption(dataOption())
    .option('--json', 'print one JSON object per line', false)
    .action(async (options: { data?: string; json: boolean }) => {
      const { listBrowsers } = await import('../browsers.ts')
      const data = await dataOf(options)
      context.exitCode = await listBrowsers({ json: options.json, data }, context.terminal)
    })

const addBrowsersRevoke = (browsers: Command, context: CliContext) =>
  browsers
    .command('revoke')
    .description('sign a browser out, at once')
    .argument('<id>', 'the id that `sluice browsers list` prints')
    .addOption(dataOption())
    .option('--json', 'print a JSON object', false)
    .action(async (id: string, options: { data?: string; json: boolean }) => {
      const { revokeBrowser } = await import('../browsers.ts')
      const data = await dataOf(options)
      context.exitCode = await revokeBrowser({ id, json: options.json, data }, context.terminal)
    })
