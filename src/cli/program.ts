import { Command, CommanderError } from 'commander'
import { LogFault } from '../log/log-fault.ts'
import { version } from '../process/version.ts'
import { Fault, type FaultCode } from '../shared/fault.ts'
import { exitCodes } from './exit.ts'
import { exitSoon } from './exit-soon.ts'
import { errorForm, helpForm, hintAt } from './help.ts'
import { createTerminal, printError, printUnexpected } from './terminal.ts'
import { agentVerbs } from './verbs/agent-verbs.ts'
import { budgetVerbs } from './verbs/budget-verbs.ts'
import { completionVerbs } from './verbs/completion-verbs.ts'
import { costVerbs } from './verbs/cost-verbs.ts'
import { withDashPrompt } from './verbs/dash-prompt.ts'
import { dataVerbs } from './verbs/data-verbs.ts'
import { fileVerbs } from './verbs/file-verbs.ts'
import { hookVerbs } from './verbs/hook-verbs.ts'
import { inspectVerbs } from './verbs/inspect-verbs.ts'
import { keyVerbs } from './verbs/key-verbs.ts'
import { loopVerbs } from './verbs/loop-verbs.ts'
import { nodeVerbs } from './verbs/node-verbs.ts'
import { priceVerbs } from './verbs/price-verbs.ts'
import { remoteVerbs } from './verbs/remote-verbs.ts'
import { serverVerbs } from './verbs/server-verbs.ts'
import { streamVerbs } from './verbs/stream-verbs.ts'
import { supportVerbs } from './verbs/support-verbs.ts'
import { tenantVerbs } from './verbs/tenant-verbs.ts'
import type { CliContext } from './verbs/verb.ts'
import { watchedVerbs } from './verbs/watched-verbs.ts'
import { worktreeVerbs } from './verbs/worktree-verbs.ts'

/** Parses the arguments, runs one verb, and returns the exit code. */
export const main = async (argv: readonly string[]): Promise<number> => {
  const closed = new AbortController()
  const terminal = createTerminal(process.stdout, () => closed.abort())
  // A closed stderr must not end the program: agents still have to be stopped in order.
  process.stderr.on('error', () => {})
  process.on('uncaughtException', (error) => {
    printUnexpected(error)
    process.exit(exitCodes.failed)
  })
  const context: CliContext = { terminal, closed: closed.signal, exitCode: exitCodes.done }

  const program = new Command('sluice')
    .description('One live event stream for every coding agent.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .configureHelp(helpForm)
    .configureOutput(errorForm)
  for (const add of [
    streamVerbs,
    loopVerbs,
    remoteVerbs,
    inspectVerbs,
    serverVerbs,
    keyVerbs,
    nodeVerbs,
    agentVerbs,
    worktreeVerbs,
    hookVerbs,
    watchedVerbs,
    budgetVerbs,
    costVerbs,
    dataVerbs,
    fileVerbs,
    priceVerbs,
    supportVerbs,
    tenantVerbs,
    completionVerbs,
  ])
    add(program, context)
  hintAt(program)

  try {
    if (argv.length === 0) program.help()
    const run = program.commands.find((each) => each.name() === 'run')
    await program.parseAsync([...(run ? withDashPrompt(argv, run) : argv)], { from: 'user' })
    return context.exitCode
  } catch (error) {
    context.exitCode = exitCodeFor(error)
    return context.exitCode
  } finally {
    exitSoon(context.exitCode)
  }
}

/** What fails although the command is right. */
const failures: ReadonlySet<FaultCode> = new Set([
  'agent_not_started',
  'backup_failed',
  'file_not_written',
  'move_failed',
  'restore_failed',
  'not_listening',
  'sandbox_unavailable',
])

/** Prints what the user did wrong or what failed. Errors of our own are thrown on. */
const exitCodeFor = (error: unknown): number => {
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  if (!(error instanceof Fault)) throw error
  printError(error.message)
  const { cause } = error
  const isUnusable = cause instanceof LogFault && cause.code === 'unusable_directory'
  const isFailure = failures.has(error.code) || isUnusable
  return isFailure ? exitCodes.failed : exitCodes.usage
}
