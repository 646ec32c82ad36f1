import { randomUUID } from 'node:crypto'
import type { Agent } from '../agents/agent.ts'
import type { PromptFile, PromptImage } from '../agents/live.ts'
import type { AgentEvent, EventOf } from '../events/types.ts'
import type { Prices } from '../ledger/prices.ts'
import { defaultData } from '../process/default-data.ts'
import { installedVersion } from '../process/installed-version.ts'
import { openSandbox } from '../process/sandbox.ts'
import { type Driver, startDriver } from '../session/conversation/driver.ts'
import { defined } from '../shared/fields.ts'
import { finishesWithin } from '../shared/finishes-within.ts'
import { exitCodes } from './exit.ts'
import { createPipeline, type Pipeline } from './pipeline.ts'
import { openWorktree, requireSupport } from './prepare-start.ts'
import { attachmentsFor } from './read-attachments.ts'
import type { RunAgentOptions } from './run.ts'
import { createRunBudget } from './run-budget.ts'
import { sandboxWarning } from './sandbox-line.ts'
import { exitCodeOfSignal, watchStopSignals } from './signals.ts'
import { startStopDeadline } from './stop-deadline.ts'
import { printError, printRawError, type Terminal } from './terminal.ts'
import { startForRun } from './trust-question.ts'
import { watchStart } from './watch-start.ts'

export interface LiveRun {
  options: RunAgentOptions
  agent: Agent
  program: string
  prices: Prices
  terminal: Terminal
  closed: AbortSignal
}

/** `sluice run` with an agent that only holds sessions: one session with one prompt. */
export const runLive = async (run: LiveRun): Promise<number> => {
  const { options, agent, terminal } = run
  requireSupport(agent, options.start, installedVersion(run.program))
  const { images, files } = attachmentsFor(agent, options.files ?? [])
  const attached = defined({ images, files })
  const ended = Promise.withResolvers<'ended'>()
  const overLimit = Promise.withResolvers<'limit'>()
  const budget = createRunBudget({
    limits: options.budget?.limits ?? {},
    process: () => driver,
    emit: (event) => pipeline.emit([event]),
    stop: () => overLimit.resolve('limit'),
  })
  const decide = createDecider(options, (command) => void driver.send(command))
  const watch = watchStart(agent.title)
  const onEvent = (event: AgentEvent) => {
    budget.observe(event)
    watch.observe(event)
    if (event.type === 'approval_request') decide(event)
    if (event.type === 'agent_end') ended.resolve('ended')
  }
  const pipeline = createPipeline(agent, randomUUID(), options.out, terminal, run.prices, onEvent)
  const driver = await startAgent(run, pipeline)
  const signals = watchStopSignals(run.closed)
  const sent = sendPrompt(driver, agent, { text: options.prompt, ...attached }, pipeline)
  const finished = sent.then((isSent) => (isSent ? ended.promise : 'ended'))
  const gone = driver.done.then(() => sent).then(() => 'ended' as const)
  const wrong = watch.wrong.then((message) => {
    pipeline.emit([{ type: 'error', code: 'command_failed', message, fatal: true }])
    return 'wrong' as const
  })
  const how = await Promise.race([finished, gone, wrong, signals.first, overLimit.promise])
  watch.close()
  budget.close()
  if (isSignal(how)) startStopDeadline()
  void signals.second.then(driver.kill)
  if (isSignal(how)) await cancelRun(driver, Promise.race([ended.promise, driver.done]))
  await endAgent(driver, agent, how === 'ended')
  signals.stop()
  const result = pipeline.end()
  await terminal.flush()
  if (how === 'limit') return exitCodes.budget
  if (isSignal(how)) return exitCodeOfSignal(how)
  return result.isError || result.stopReason === undefined ? exitCodes.failed : exitCodes.done
}

type Ending = 'ended' | 'limit' | 'wrong' | NodeJS.Signals

const isSignal = (how: Ending): how is NodeJS.Signals =>
  how !== 'ended' && how !== 'limit' && how !== 'wrong'

/** How long an agent may take to end its run when it is asked to. */
const cancelMs = 2000

/** An agent that ends its run by itself stops its tools, and stores the conversation. */
const cancelRun = async (driver: Driver, ended: Promise<unknown>): Promise<void> => {
  void driver.send({ type: 'abort', id: randomUUID() })
  await finishesWithin(ended, cancelMs)
}

/** The agent waits when so much of our output is not read. */
const waitingBytes = 1024 * 1024

const startAgent = async (
  { options, agent, program, terminal }: LiveRun,
  pipeline: Pipeline,
): Promise<Driver> => {
  const sandbox = await openSandbox({ mode: options.sandbox, hidden: [defaultData()] })
  printRawError(sandboxWarning(options.sandbox, sandbox.info))
  const { model, start, trustProject: isTrusted } = options
  const { cwd } = options.worktree ? await openWorktree(options.cwd) : options
  const project = await startForRun(agent, program, { cwd, isTrusted })
  const driver: Driver = await startDriver({
    ...{ agent, program, cwd, sandbox, scope: '', replyMs },
    ...defined({ model, start }),
    ...(project.env && { env: { ...process.env, ...project.env } }),
    extra: [...project.args, ...options.extra],
    onEvents(events) {
      pipeline.emit(events)
      const flushed = terminal.flush()
      if (terminal.waiting() <= waitingBytes) return
      driver.setPressure('full')
      void flushed.then(() => driver.setPressure('low'))
    },
    onExit() {},
  })
  return driver
}

/** How long an agent may take to open its session. Some install themselves first. */
const replyMs = 60_000

/** Sends the prompt. If it is not accepted, the stream says why. */
const sendPrompt = async (
  driver: Driver,
  { title }: Agent,
  prompt: { text: string; images?: PromptImage[]; files?: PromptFile[] },
  pipeline: Pipeline,
): Promise<boolean> => {
  const result = await driver.send({ type: 'prompt', id: randomUUID(), ...prompt })
  if (result.outcome === 'accepted') return true
  const message =
    result.outcome === 'refused'
      ? result.error
      : `${title} opened no session. Check that the command starts an agent that speaks ACP.`
  pipeline.emit([{ type: 'error', code: 'command_failed', message, fatal: true }])
  return false
}

/**
 * Answers approvals. Nobody can be asked, so they are denied unless a person allowed all. Nobody can
 * answer questions either.
 */
const createDecider = (
  { approve }: RunAgentOptions,
  send: (command: Parameters<Driver['send']>[0]) => void,
) => {
  let isExplained = approve !== undefined
  return (request: EventOf<'approval_request'>): void => {
    if (!isExplained)
      printError('denied what the agent requested. To allow everything: --approve allow')
    isExplained = true
    const action = approve === 'allow' && request.kind === 'tool' ? 'allow' : 'deny'
    send({ type: 'answer', id: randomUUID(), request, answer: { action } })
  }
}

/** How long an agent may take to end by itself. */
const endMs = 2000

const endAgent = async (driver: Driver, agent: Agent, isDone: boolean): Promise<void> => {
  if (isDone) driver.finish()
  if (!isDone || !(await finishesWithin(driver.done, endMs)))
    await driver.stop({ signals: agent.stopSignals })
  await driver.done
}
