import { randomUUID } from 'node:crypto'
import type { Agent, DecoderOptions, StopSignal } from '../agents/agent.ts'
import { protocolAgent } from '../agents/known-agents.ts'
import type { SessionBudget, StartOptions } from '../events/types.ts'
import type { RunResult } from '../handler/stream-handler.ts'
import type { Prices } from '../ledger/prices.ts'
import { defaultData } from '../process/default-data.ts'
import { exitError } from '../process/exit-error.ts'
import { findProgram, noProgramText } from '../process/find-agent.ts'
import { installedVersion } from '../process/installed-version.ts'
import { openSandbox, type SandboxMode } from '../process/sandbox.ts'
import { type RunningProcess, startProcess } from '../process/spawn.ts'
import type { Exit } from '../process/stop-process.ts'
import type { FileToAttach } from '../session/conversation/session.ts'
import { Fault } from '../shared/fault.ts'
import { defined } from '../shared/fields.ts'
import { reasonOf } from '../shared/reason.ts'
import { exitCodes } from './exit.ts'
import { findAgentForRun } from './find-agent-for-run.ts'
import { installedProgram } from './installed-agent.ts'
import type { OutName } from './out-names.ts'
import { createPipeline } from './pipeline.ts'
import { openWorktree, requireOneShotSupport } from './prepare-start.ts'
import { promptWithFiles } from './read-attachments.ts'
import { createRunBudget } from './run-budget.ts'
import { createRunFailure } from './run-failure.ts'
import { sandboxWarning } from './sandbox-line.ts'
import { exitCodeOfSignal, onStopSignal, signalOfClosedOutput } from './signals.ts'
import { startStopDeadline } from './stop-deadline.ts'
import { printError, printRawError, type Terminal } from './terminal.ts'
import { startForRun } from './trust-question.ts'

export interface RunAgentOptions {
  agent: string
  prompt: string
  /** Files that go with the prompt. */
  files?: FileToAttach[]
  out: OutName
  cwd: string
  /** The data directory, which may have an `agents.json`. */
  data: string
  sandbox: SandboxMode
  /** Load the project’s own settings and extensions without asking. */
  trustProject: boolean
  model?: string
  /** The agent’s own id of the conversation to continue. */
  resume?: string
  /** How the agent starts. */
  start?: StartOptions | undefined
  /** Works in a new git worktree. */
  worktree?: boolean | undefined
  /** The limits of the run. */
  budget?: SessionBudget | undefined
  /** How to answer approvals. */
  approve?: 'ask' | 'allow' | 'deny'
  extra: readonly string[]
}

/** The agent waits when so much of our output is not read. */
const waitingBytes = 1024 * 1024
/** The same for an agent that dies in some versions when its own output is not read. */
const lastWaitingBytes = 64 * 1024 * 1024

/** `sluice run`: starts an agent for one prompt and shows its stream; Ctrl-C stops it. */
export const runAgent = async (
  options: RunAgentOptions,
  terminal: Terminal,
  closed: AbortSignal,
): Promise<number> => {
  const agent = await findAgentForRun(options)
  if (agent.adapter === protocolAgent) return runSession(agent, options, terminal, closed)
  const program = agent.runsCommand ? commandProgram(options) : installedProgram(agent)
  const { start } = options
  requireOneShotSupport(agent, start, installedVersion(program))
  const prompt = promptWithFiles(agent, options.prompt, options.files ?? [])
  // Beside the sandbox, which waits for other programs.
  const prices = loadPrices()
  const sandbox = await openSandbox({ mode: options.sandbox, hidden: [defaultData()] })
  printRawError(sandboxWarning(options.sandbox, sandbox.info))
  const budget = createRunBudget({
    limits: options.budget?.limits ?? {},
    process: () => started,
    emit: (event) => pipeline.emit([event]),
    stop: () => stopper.stopAtLimit(),
  })
  const { out } = options
  const list = await prices
  const { model } = options
  const { trustProject: isTrusted } = options
  const extra = [...options.extra, ...resumeArgsOf(agent, options)]
  const reader = readerOf(agent, defined({ model, extra }))
  const failure = createRunFailure()
  const pipeline = createPipeline(reader, randomUUID(), out, terminal, list, (event) => {
    budget.observe(event)
    failure.observe(event)
  })
  const { cwd } = options.worktree ? await openWorktree(options.cwd) : options
  const project = await startForRun(agent, program, { cwd, isTrusted })
  const mostWaiting = agent.waitsSince === undefined ? waitingBytes : lastWaitingBytes
  const started = await startProcess({
    agent,
    sandbox,
    program,
    args: agent.command(prompt, {
      ...defined({ model, start }),
      version: installedVersion(program),
      extra: [...project.args, ...extra],
    }),
    cwd,
    directories: start?.directories,
    ...(project.env && { env: { ...process.env, ...project.env } }),
    onChunk(chunk) {
      pipeline.push(chunk)
      const flushed = terminal.flush()
      if (terminal.waiting() <= mostWaiting) return
      started.pause()
      void flushed.then(started.resume)
    },
  })

  const stopper = createStopper(agent, started, closed)
  const exit = await started.done
  stopper.end()
  budget.close()
  const isOverLimit = stopper.isAtLimit()
  const stderr = started.stderr()
  // Of a text, the exit code is the end of the run. Of a failure, it says nothing more.
  const isReported = exit.code !== null && (agent.isText || failure.isReported())
  if (!stopper.signal() && !isOverLimit && hasDied(exit) && !isReported)
    pipeline.emit([exitError(agent.isText ? 'The program' : agent.title, exit, stderr, true)])
  const result = pipeline.end({ ...exit, stderr })
  await terminal.flush()
  const advice = result.isError ? failure.advice(agent) : undefined
  if (advice !== undefined) printError(advice)
  if (options.out === 'text' && !isOverLimit && !result.isError && result.stopReason === undefined)
    printError(`${agent.title} ended without a run.`)
  return isOverLimit ? exitCodes.budget : exitCodeOf(result, exit, stopper.signal())
}

/** The arguments that continue a conversation. Nothing that a person types may become another flag. */
const resumeArgsOf = (agent: Agent, { resume }: RunAgentOptions): string[] => {
  if (resume === undefined) return []
  if (!/^[\w./:][\w./:-]*$/.test(resume))
    throw new Fault('usage', `“${resume}” is not the id of a conversation.`)
  if (!agent.resumeArgs)
    throw new Fault('usage', `${agent.title} cannot continue a conversation with a single prompt.`)
  return agent.resumeArgs(resume)
}

/** An agent that speaks ACP has no runs of one prompt, so it gets a session with one. */
const runSession = async (
  agent: Agent,
  options: RunAgentOptions,
  terminal: Terminal,
  closed: AbortSignal,
): Promise<number> => {
  if (options.resume !== undefined)
    throw new Fault('usage', '--resume works with agents that run single prompts. Use a session.')
  const program = installedProgram(agent)
  // The agent has the words of its command already.
  const extra = agent.name === protocolAgent ? [] : options.extra
  const { runLive } = await import('./run-live.ts')
  const prices = await loadPrices()
  return runLive({ options: { ...options, extra }, agent, program, prices, terminal, closed })
}

/** The agent, whose decoder knows what the run was started with. */
const readerOf = (agent: Agent, started: Pick<DecoderOptions, 'model' | 'extra'>): Agent => ({
  ...agent,
  createDecoder: (options) => agent.createDecoder({ ...options, ...started }),
})

/** Stops the agent at a signal, when nobody reads its output, or at a limit. */
const createStopper = (agent: Agent, started: RunningProcess, closed: AbortSignal) => {
  let stopping: NodeJS.Signals | undefined
  let isAtLimit = false
  const stop = (signal: NodeJS.Signals) => {
    const signals = stopping ? (['SIGKILL'] as const) : agent.stopSignals
    if (!stopping) startStopDeadline()
    stopping ??= signal
    // A reader that has enough, such as `head`, wants to know nothing more.
    const isQuiet = stopping === 'SIGPIPE'
    void started.stop({ signals, ...(!isQuiet && { onSignal: printStage }) })
  }
  // A closed window arrives as SIGHUP and as a closed stdout; the second one must not force.
  const leave = (signal: NodeJS.Signals) => stopping || stop(signal)
  const stopWatching = onStopSignal((signal) =>
    signal === 'SIGHUP' ? leave(signal) : stop(signal),
  )
  closed.addEventListener('abort', () => leave(signalOfClosedOutput()))
  return {
    signal: () => stopping,
    isAtLimit: () => isAtLimit && stopping === undefined,
    stopAtLimit() {
      isAtLimit = true
      void started.stop({ signals: agent.stopSignals })
    },
    end: stopWatching,
  }
}

/** The program of a command that a person names: its first word. */
const commandProgram = ({ prompt: word, cwd }: RunAgentOptions): string => {
  const found = findProgram(word, { cwd, env: process.env })
  if (found !== undefined) return found
  throw new Fault('agent_not_found', noProgramText(word, cwd))
}

const loadPrices = async (): Promise<Prices> => {
  const { loadPriceBook } = await import('../prices/price-book.ts')
  return loadPriceBook(defaultData(), { onError: (cause) => printError(reasonOf(cause)) })
}

const printStage = (signal: StopSignal) => printError(`stopping (${signal})`)

const hasDied = (exit: Exit): boolean => exit.code !== 0

const exitCodeOf = (result: RunResult, exit: Exit, stopped: NodeJS.Signals | undefined): number => {
  if (stopped) return exitCodeOfSignal(stopped)
  const failed = result.isError || result.stopReason === undefined || hasDied(exit)
  return failed ? exitCodes.failed : exitCodes.done
}
