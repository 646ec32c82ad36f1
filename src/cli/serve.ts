import { setTimeout as pause } from 'node:timers/promises'
import type { ApprovalMode, BudgetLimits, OnExceeded } from '../events/types.ts'
import { defaultData } from '../process/default-data.ts'
import { exitNow } from '../process/exit-now.ts'
import type { SandboxMode } from '../process/sandbox.ts'
import type { FixedBudget } from '../session/budgets/budget-book.ts'
import { Fault } from '../shared/fault.ts'
import type { Durability } from '../sluice/open-log.ts'
import { openSluice, type Sluice, type SluiceOptions } from '../sluice/sluice.ts'
import { exitCodes } from './exit.ts'
import { greeting, openWarning } from './greeting.ts'
import { sandboxLine } from './sandbox-line.ts'
import { createServerLog, type ServerLog, type ServerLogOptions } from './server-log.ts'
import { type StopSignals, watchStopSignals } from './signals.ts'
import { startStopDeadline } from './stop-deadline.ts'
import { printError, printRawError, type Terminal } from './terminal.ts'

export interface ServeOptions {
  host: string
  port: number
  data: string
  durability: Durability
  /** In bytes. Without it, 256 MB, or 5 % of a smaller disk. */
  minFree?: number
  /** Addresses of NATS servers that store everything. Without them, the data directory does. */
  nats?: readonly string[]
  /** A file with NATS credentials. */
  creds?: string
  /** The name of this node. */
  node?: string
  replicas?: number
  /** In ms. */
  lease?: number
  tenant?: string
  /** Store the conversations of agents in the cluster. */
  history?: boolean
  /** Directories below which projects may lie. Empty: the home and the current directory. */
  root: readonly string[]
  publicUrl?: string
  maxAgents: number
  /** Which sessions are not deleted. Without it, none is. */
  keep?: SluiceOptions['keep']
  approve: ApprovalMode
  /** In ms. Without it, an approval waits for an answer. */
  approvalTimeout?: number
  /** In ms. */
  idleAfter: number
  budgetSession?: BudgetLimits
  budgetDay?: BudgetLimits
  onBudget?: OnExceeded
  sandbox: SandboxMode
  logLevel: ServerLogOptions['level']
  auth: boolean
  /** Require a passkey to allow an approval. */
  passkeys: boolean
  /** Read the sessions that agents store on this machine. */
  watch: boolean
  /** On a signal, wait for runs that are going on. */
  finishRuns: boolean
}

/** `sluice serve`: serves sessions over HTTP until a signal arrives. */
export const serve = async (options: ServeOptions, terminal: Terminal): Promise<number> => {
  // First: from here on, every signal must close what is open.
  const endings = watchStopSignals()
  const serverLog = createServerLog({
    level: options.logLevel,
    isPretty: process.stderr.isTTY === true,
  })
  const failure = Promise.withResolvers<string>()
  try {
    const sluice = await open(options, terminal, { endings, serverLog, onFailed: failure.resolve })
    if (!sluice) return exitCodes.done
    const stopped = untilStopped(sluice, options, endings, serverLog)
    return await Promise.race([
      stopped,
      failure.promise.then((reason) => exitFailed(sluice, reason)),
    ])
  } finally {
    await serverLog.flush()
    endings.stop()
  }
}

/** The budgets of the options. They hold as long as the server runs. */
const budgetsOf = ({ budgetSession, budgetDay, onBudget }: ServeOptions): FixedBudget[] => {
  const how = onBudget === undefined ? {} : { onExceeded: onBudget }
  return [
    ...(budgetSession ? [{ scope: 'session' as const, limits: budgetSession, ...how }] : []),
    ...(budgetDay ? [{ scope: 'day' as const, limits: budgetDay, ...how }] : []),
  ]
}

/** The NATS cluster of the options. Throws a `usage` fault for options that need one. */
const natsOf = (options: ServeOptions): SluiceOptions['nats'] => {
  const { nats: servers, creds, node, replicas, tenant, lease, history } = options
  if (servers) return { servers, creds, node, replicas, tenant, history, leaseMs: lease }
  const given = Object.entries({ creds, node, replicas, tenant, lease, history })
  const lonely = given.find(([, value]) => value !== undefined)
  if (lonely) throw new Fault('usage', `--${lonely[0]} works only with --nats.`)
  return undefined
}

interface OpenParts {
  endings: StopSignals
  serverLog: ServerLog
  /** Called when nothing can be stored until the next start. */
  onFailed(reason: string): void
}

/** Opens the server and prints its address; undefined when a signal came first. */
const open = async (
  options: ServeOptions,
  terminal: Terminal,
  { endings, serverLog, onFailed }: OpenParts,
): Promise<Sluice | undefined> => {
  const { data, host, port, publicUrl, auth, root } = options
  const greetingOptions = {
    ...{ host, publicUrl, auth },
    isTerminal: process.stdout.isTTY === true,
    pairCommand: pairCommand(data),
  }
  const opening = new AbortController()
  let isOpening = true
  void endings.first.then(() => {
    opening.abort()
    if (isOpening) startStopDeadline()
  })
  void endings.second.then(() => isOpening && exitNow(exitCodes.stopped))
  try {
    const sluice = await openSluice({
      data,
      durability: options.durability,
      minFree: options.minFree,
      nats: natsOf(options),
      maxAgents: options.maxAgents,
      keep: options.keep,
      policy: options.approve,
      approvalTimeoutMs: options.approvalTimeout,
      idleAfterMs: options.idleAfter,
      budgets: budgetsOf(options),
      sandbox: options.sandbox,
      watch: options.watch,
      roots: root.length > 0 ? root : undefined,
      signal: opening.signal,
      onError: serverLog.failed,
      onNotice: (message) => serverLog.warn({}, message),
      onStatus({ state, reason = 'The log works again.' }) {
        if (state === 'ok') serverLog.info({}, reason)
        else serverLog.warn({ state }, reason)
        if (state === 'failed') onFailed(reason)
      },
      http: {
        host,
        port,
        publicUrl,
        auth,
        passkeys: options.passkeys || undefined,
        onResponse: (response) => serverLog.debug(response, 'answered'),
        async onListening(server) {
          terminal.write(await greeting(server, greetingOptions))
          const warning = openWarning(greetingOptions)
          if (warning !== undefined) printError(warning)
          await terminal.flush()
          serverLog.info({ host, port: Number(new URL(server.url).port), data }, 'listening')
          // Readers that reconnect now get their streams before the agents are loaded.
          await pause(100, undefined, { signal: opening.signal })
        },
      },
    })
    printRawError(sandboxLine(sluice.sandbox))
    if (options.watch) {
      const { watchLine } = await import('./watch-line.ts')
      printRawError(await watchLine(sluice.log))
    }
    return sluice
  } catch (cause) {
    if (opening.signal.aborted) return undefined
    throw cause
  } finally {
    isOpening = false
  }
}

/** How long readers can see why the server exits. */
const noticeMs = 2000

/** Exits, because nothing can be stored any more. The log is not closed: that would write to it. */
const exitFailed = async (sluice: Sluice, reason: string): Promise<never> => {
  printError(`${reason} Sluice exits.`)
  sluice.kill()
  await pause(noticeMs)
  process.exit(exitCodes.logFailed)
}

/** Waits for a signal and closes in order; a second signal ends the process at once. */
const untilStopped = async (
  sluice: Sluice,
  { finishRuns }: ServeOptions,
  { first, second }: StopSignals,
  serverLog: ServerLog,
): Promise<number> => {
  const signal = await first
  serverLog.info({ signal }, finishRuns ? 'stopping when the runs are over' : 'stopping')
  printError('stopping; press Ctrl-C again to stop at once')
  const end = async () => {
    if (finishRuns) await sluice.finish()
    startStopDeadline(sluice)
    await sluice.close()
  }
  const isForced = await Promise.race([end().then(() => false), second.then(() => true)])
  if (!isForced) return exitCodes.done
  // Agents run in process groups of their own, so they do not end with this process.
  sluice.kill()
  return exitNow(exitCodes.stopped)
}

/** How to make a pairing link. In a clone there is no `sluice` on PATH. */
const pairCommand = (data: string): string => {
  const isClone = import.meta.dirname.endsWith('/src/cli')
  const program = isClone ? 'npm run -s sluice -- pair' : 'sluice pair'
  return data === defaultData() ? program : `${program} --data ${data}`
}
