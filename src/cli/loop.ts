import type { ApprovalMode, LoopInfo, LoopLimits } from '../events/types.ts'
import { scheduleProblem } from '../loop/schedule.ts'
import type { SandboxMode } from '../process/sandbox.ts'
import { Fault } from '../shared/fault.ts'
import { exitCodes } from './exit.ts'
import { knownPath } from './last-session.ts'
import { loopExitCode } from './loop/loop-exit.ts'
import { findLoop, isSettled, type LoopHost, lastLoop, type WantedLoop } from './loop/loop-host.ts'
import { endLine, headLine, iterationLine, loopRow, waitLine } from './loop/loop-lines.ts'
import { createLoopView, type LoopOut } from './loop/loop-view.ts'
import { serverLoops } from './loop/server-loops.ts'
import { onServer, type ServerTarget, serverAt } from './remote/server-target.ts'
import { exitCodeOfSignal, type StopSignals, watchStopSignals } from './signals.ts'
import { startStopDeadline } from './stop-deadline.ts'
import { printError, type Terminal } from './terminal.ts'

export interface LoopOptions extends ServerTarget, Omit<WantedLoop, 'agent' | 'limits'> {
  agent?: string
  limits: LoopLimits
  /** The loop to resume; true: the last one. */
  resume?: string | true
  /** Start the loop on the server, and do not follow it. */
  detach: boolean
  out: LoopOut
  approve: ApprovalMode
  sandbox: SandboxMode
  /** Options that were given and that no server has. */
  notOnServer: readonly string[]
}

/** `sluice loop`: runs a loop here, or on the server that has the data directory, and shows it. */
export const loopVerb = async (
  options: LoopOptions,
  terminal: Terminal,
  closed: AbortSignal,
): Promise<number> => {
  check(options)
  // From here on, every signal must close what is open.
  const signals = watchStopSignals(closed)
  try {
    return await onServer(options, async () => {
      const host = await openHost(options)
      try {
        return await runAndShow(host, options, { terminal, signals })
      } finally {
        await host.close()
      }
    })
  } finally {
    signals.stop()
  }
}

/** Refuses what cannot work before anything is opened. */
const check = ({ agent, resume, prompt, promptFile, schedule, start }: LoopOptions): void => {
  if (resume !== undefined && start)
    throw new Fault('usage', 'Options such as --mode are for new loops.')
  if (resume !== undefined) return
  if (agent === undefined)
    throw new Fault('usage', 'Name an agent, such as: sluice loop pi --prompt-file PROMPT.md')
  if ((prompt === undefined) === (promptFile === undefined))
    throw new Fault('usage', 'Give either --prompt-file or --prompt.')
  const problem = schedule && scheduleProblem(schedule, Date.now())
  if (problem !== undefined) throw new Fault('usage', problem)
}

const openHost = async (options: LoopOptions): Promise<LoopHost> => {
  const client = serverAt(options)
  if (client) {
    const [ignored] = options.notOnServer
    if (ignored !== undefined) printError(`the server runs the loop: ${ignored} has no effect.`)
    return serverLoops(client)
  }
  if (options.detach)
    throw new Fault('usage', '--detach needs a server. Start one with `sluice serve`.')
  const { openLocalLoops } = await import('./loop/local-loops.ts')
  return openLocalLoops(options)
}

const runAndShow = async (
  host: LoopHost,
  options: LoopOptions,
  { terminal, signals }: { terminal: Terminal; signals: StopSignals },
): Promise<number> => {
  const loop = await startLoop(host, options)
  if (options.detach) {
    terminal.write(`${headLine(loop, terminal.size()?.columns ?? 80)}`)
    await terminal.flush()
    return exitCodes.done
  }
  const view = createLoopView(terminal, options.out)
  if (host.isServer && options.out === 'lines')
    printError('the server runs the loop. Ctrl-C pauses it; a closed window does not.')
  const stopped = signals.first.then((signal) => stopAt(signal, loop, host, signals))
  const last = await Promise.race([host.follow(loop, view), stopped.then(() => undefined)])
  const signal = await Promise.race([signals.first, Promise.resolve(undefined)])
  if (signal === undefined && last) {
    await view.end(last)
    await Promise.race([host.othersDone(reportOthers), signals.first])
    return loopExitCode(last)
  }
  const left = await stopped
  if (left) await view.end(left)
  return exitCodeOfSignal(signal ?? 'SIGINT')
}

const reportOthers = (): void =>
  printError('other terminals use this process. It waits until they are done; Ctrl-C ends it now.')

/** Pauses the loop, whose iteration is stopped. On a server it goes on when only the window closes. */
const stopAt = async (
  signal: NodeJS.Signals,
  loop: LoopInfo,
  host: LoopHost,
  { second }: StopSignals,
): Promise<LoopInfo | undefined> => {
  if (host.isServer && signal === 'SIGHUP') return undefined
  if (!host.isServer) startStopDeadline()
  void second.then(host.kill)
  return host.pause(loop.id, true)
}

const startLoop = async (host: LoopHost, options: LoopOptions): Promise<LoopInfo> => {
  const { resume, limits, agent = '' } = options
  if (resume === undefined) return host.create(wantedLoop(agent, options))
  const loops = await host.list()
  const found = resume === true ? lastLoop(loops, knownPath(options.cwd)) : findLoop(resume, loops)
  if (Object.keys(limits).length > 0) await host.change(found.id, { limits })
  return host.resume(found.id)
}

const wantedLoop = (agent: string, options: LoopOptions): WantedLoop => {
  const { model, name, prompt, promptFile, promise, limits, schedule, onExceeded } = options
  const { start } = options
  return {
    ...{ agent, cwd: knownPath(options.cwd), limits },
    ...(model !== undefined && { model }),
    ...(name !== undefined && { name }),
    ...(prompt !== undefined && { prompt }),
    ...(promptFile !== undefined && { promptFile: knownPath(promptFile) }),
    ...(promise !== undefined && { promise }),
    ...(schedule !== undefined && { schedule }),
    ...(onExceeded !== undefined && { onExceeded }),
    ...(start && { start }),
  }
}

export interface LoopQuery extends ServerTarget {
  json: boolean
}

/** `sluice loop list`: all loops, newest first. */
export const listLoops = async (options: LoopQuery, terminal: Terminal): Promise<number> => {
  const loops = await readLoops(options)
  const width = terminal.size()?.columns ?? 80
  if (loops.length === 0 && !options.json)
    terminal.write('No loops yet. Start one with `sluice loop`.\n')
  for (const loop of loops)
    if (options.json) terminal.writeJson(loop)
    else terminal.write(loopRow(loop, width))
  await terminal.flush()
  return exitCodes.done
}

/** `sluice loop show`: one loop with its last iterations. */
export const showLoop = async (
  options: LoopQuery & { loop: string },
  terminal: Terminal,
): Promise<number> => {
  const loop = findLoop(options.loop, await readLoops(options))
  const width = terminal.size()?.columns ?? 80
  if (options.json) terminal.writeJson(loop)
  else {
    terminal.write(headLine(loop, width))
    for (const each of loop.iterations) terminal.write(iterationLine(each, width))
    if (isSettled(loop)) terminal.write(endLine(loop))
    if (loop.state === 'waiting') terminal.write(waitLine(loop))
  }
  await terminal.flush()
  return exitCodes.done
}

/** `sluice loop pause` and `sluice loop stop`. */
export const controlLoop = async (
  options: LoopQuery & { loop: string; action: 'pause' | 'stop'; abort?: boolean },
  terminal: Terminal,
): Promise<number> => {
  const { action, abort = false } = options
  const loop = await withHost(options, async (host) => {
    const { id } = findLoop(options.loop, await host.list())
    return action === 'stop' ? host.stop(id) : host.pause(id, abort)
  })
  if (options.json) terminal.writeJson(loop)
  else if (loop.pauseRequested) terminal.write('The loop pauses after this iteration.\n')
  else terminal.write(endLine(loop))
  await terminal.flush()
  return exitCodes.done
}

const readLoops = (options: ServerTarget): Promise<LoopInfo[]> =>
  withHost(options, (host) => host.list())

/** Works on the server, or on the data directory while no process has it open. */
const withHost = async <Result>(
  options: ServerTarget,
  use: (host: Pick<LoopHost, 'list' | 'pause' | 'stop'>) => Promise<Result>,
): Promise<Result> => {
  const client = serverAt(options)
  if (client) return onServer(options, () => use(serverLoops(client)))
  const { withStoredLoops } = await import('./loop/stored-loops.ts')
  return withStoredLoops(options.data, use)
}
