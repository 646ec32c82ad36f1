import { randomUUID } from 'node:crypto'
import { installedVersion } from '../../process/installed-version.ts'
import type { StopOptions } from '../../process/stop-process.ts'
import { Fault } from '../../shared/fault.ts'
import { defined } from '../../shared/fields.ts'
import { finishesWithin } from '../../shared/finishes-within.ts'
import type { AgentStart } from '../../trust/trusted-projects.ts'
import type { ConversationState } from './conversation-state.ts'
import { type Driver, type DriverOptions, startDriver } from './driver.ts'
import { acceptEvent, showUnconfirmed } from './intake.ts'
import { arrivalNotice, leftOutNotice, lostMessagesNotice, stillQueuedNotice } from './notices.ts'
import { closeRun, endUnstartedRun } from './run.ts'
import type { EndReason } from './session.ts'
import type { SessionStart } from './session-deps.ts'
import { endShells } from './shell-commands.ts'

/** The agent’s process: started when it is needed, one at a time, ended for a reason. */
export interface Lifecycle {
  /** Whether a process is running or starting. */
  isAlive(): boolean
  /** The process that accepts commands; starts one if there is none. */
  ensureProcess(): Promise<Driver>
  /** Closes the input of the process, which then ends by itself; sends signals if it does not. */
  stop(reason: EndReason): Promise<void>
  /** Stops the process for good. Messages that are still queued are stored. */
  unload(reason: EndReason): Promise<void>
  /** Ends the process by signals. */
  endBySignals(reason: EndReason, how: StopOptions): Promise<void>
  /** Kills the process and everything that it started, without waiting. */
  kill(reason: EndReason): void
}

/** How long a process may take to end by itself once its input is closed. */
const inputClosedMs = 2000

export const createLifecycle = (state: ConversationState, start: SessionStart): Lifecycle => {
  const launch = createLauncher(state, start)
  let starting: Promise<Driver> | undefined
  /** Why the process is being ended; undefined while nobody ends it. */
  let endReason: EndReason | undefined

  const startNext = async (): Promise<Driver> => {
    const running = endReason === undefined ? state.driver : undefined
    const hasChanged = running && (await launch.hasProjectChanged())
    // The process may have ended in the meantime.
    if (running && state.driver === running && endReason === undefined) {
      if (!hasChanged) return running
      endReason = 'stopped'
      await closeInput(running)
    }
    // A process that is being ended would lose the command.
    await state.driver?.done
    let hasExited = false
    const driver = await launch.start((errorMessage) => {
      hasExited = true
      state.driver = undefined
      const reason = endReason ?? 'agent_gone'
      endReason = undefined
      processEnded(state, reason, reason === 'agent_gone' ? errorMessage : undefined)
    })
    if (!hasExited) state.driver = driver
    return driver
  }

  const end = async (reason: EndReason, how: (driver: Driver) => Promise<void>) => {
    await starting?.catch(() => {})
    const { driver } = state
    if (!driver) return
    endReason ??= reason
    await how(driver)
    await driver.done
  }

  const stop = async (reason: EndReason): Promise<void> => {
    state.isStopping = true
    try {
      await end(reason, closeInput)
    } finally {
      state.isStopping = false
    }
    await state.deps.recorder.settled()
  }

  return {
    isAlive: () => state.driver !== undefined || starting !== undefined,
    ensureProcess() {
      // During a run, the process stays as it is.
      const isInUse = state.driver && endReason === undefined && state.activity.isRunning()
      if (state.driver && isInUse) return Promise.resolve(state.driver)
      starting ??= startNext().finally(() => {
        starting = undefined
      })
      return starting
    },
    stop,
    async unload(reason) {
      state.isUnloading = true
      await stop(reason)
      state.budget.close()
    },
    endBySignals: (reason, how) => end(reason, (driver) => driver.stop(how)),
    kill(reason) {
      if (!state.driver) return
      endReason ??= reason
      state.driver.kill()
    },
  }
}

const closeInput = async (driver: Driver): Promise<void> => {
  driver.finish()
  // An agent whose output is not read may be unable to end by itself, and only prints more.
  if (!driver.isPaused() && (await finishesWithin(driver.done, inputClosedMs))) return
  await driver.stop({ signals: ['SIGTERM', 'SIGKILL'] })
}

/** Starts the processes of a session. */
interface Launcher {
  start(onExit: (errorMessage: string | undefined) => void): Promise<Driver>
  /** Whether the agent would now load other files of its project than when it was started. */
  hasProjectChanged(): Promise<boolean>
}

const createLauncher = (state: ConversationState, begin: SessionStart): Launcher => {
  const { deps, resumption } = state
  let isFirst = begin.head === 0
  let project: AgentStart | undefined
  let { arrival } = begin
  const showArrival = (): void => {
    if (arrival) state.emit(arrivalNotice(arrival, deps.agent))
    arrival = undefined
  }

  const start: Launcher['start'] = async (onExit) => {
    await deps.makeRoom?.()
    const before = project?.key
    project = await deps.startInProject?.()
    if (project?.refusal !== undefined) throw new Fault('project_not_trusted', project.refusal)
    if (state.isUnloading)
      throw new Fault(
        'session_closing',
        'The session is just being closed. Send the message again.',
      )
    requireStart(state)
    // Message ids must be unique in a session; a decoder counts them per process.
    const scope = isFirst ? '' : `${randomUUID().slice(0, 8)}-`
    if (!isFirst) nextProcess(state)
    isFirst = false
    resumption.processStarted()
    state.lastPrompt = undefined
    let stopWatching = () => {}
    const driver = await startDriver({
      ...processOptions(state, project),
      scope,
      onEvents(events) {
        for (const event of events) acceptEvent(state, event)
      },
      onExit(_, errorMessage) {
        stopWatching()
        onExit(errorMessage)
      },
    })
    // The log may be behind with the events of an earlier process.
    driver.setPressure(deps.recorder.pressure())
    stopWatching = deps.recorder.watchPressure(driver.setPressure)
    showArrival()
    const leftOut = project?.leftOut ?? []
    deps.onRecord({
      pid: driver.pid,
      leftOut: leftOut.length > 0 ? leftOut.slice(0, leftOutLimit) : null,
    })
    if (leftOut.length > 0 && project?.key !== before)
      state.emit(leftOutNotice(deps.agent.title, leftOut))
    return driver
  }

  return {
    start,
    hasProjectChanged: async () => (await deps.startInProject?.())?.key !== project?.key,
  }
}

/** Throws a fault if the installed version of the agent cannot start as it was chosen. */
const requireStart = ({ deps, start, resumption }: ConversationState): void => {
  const version = installedVersion(deps.program())
  const problem = deps.agent.startProblem?.(start, version, resumption.target())
  if (problem !== undefined) throw new Fault('agent_not_started', problem)
}

/** How many files the record of a session names. */
const leftOutLimit = 20

const nextProcess = (state: ConversationState): void => {
  const { ledger, deps, queue, activity, openShells } = state
  ledger.nextProcess()
  // No run may be open at a checkpoint. One is if the process before this one died silently. A shell
  // command is if the process starts for it.
  if (!activity.isRunning() && openShells.size === 0) deps.onCheckpoint?.()
  // Recovery reads from the checkpoint on, and must find the queue.
  queue.emitAgain()
}

const processOptions = (
  { deps, model, start, resumption }: ConversationState,
  project: AgentStart | undefined,
) => {
  const { agent, program, cwd, id: sessionId, markKey } = deps
  const { sandbox, requestApprovals, replyMs, patienceMs, lineTap } = deps
  const env = project?.env ? { ...(deps.env ?? process.env), ...project.env } : deps.env
  const extra = project?.args
  const optional = defined({
    sessionId,
    markKey,
    env,
    sandbox,
    requestApprovals,
    replyMs,
    patienceMs,
    lineTap,
    model,
    start: Object.keys(start).length === 0 ? undefined : start,
    ...resumption.target(),
    extra,
  })
  return { agent, program: program(), cwd, ...optional } satisfies Partial<DriverOptions>
}

const processEnded = (
  state: ConversationState,
  reason: EndReason,
  errorMessage: string | undefined,
): void => {
  const { approvals, resumption, activity, deps } = state
  approvals.cancelAll('agent_gone')
  endShells(state)
  state.budget.processEnded()
  if (reason === 'agent_gone') resumption.processDied(errorMessage ?? '')
  // The prompt may be sent again to another process.
  const isSentAgain = state.lastPrompt !== undefined && resumption.isConversationUnknown()
  const isKept = state.isSendingPrompt || isSentAgain
  if (activity.isRunning() && !isKept) closeLostRun(state, reason, errorMessage)
  reportQueue(state, isKept)
  if (!isKept) {
    state.isAborting = false
    activity.runEnded()
  }
  deps.onRecord({ pid: null, ...(!isKept && { state: 'idle' }) })
  deps.onEnd?.(reason, errorMessage)
  state.onProcessEnd()
}

/** Ends the run of an agent that is gone and has not started to work on it. */
const closeLostRun = (
  state: ConversationState,
  reason: EndReason,
  errorMessage: string | undefined,
): void => {
  const { title } = state.deps.agent
  if (reason === 'agent_gone')
    endUnstartedRun(state, { code: 'agent_exit', message: errorMessage ?? `${title} exited.` })
  else if (state.silence === 'given_up')
    endUnstartedRun(state, {
      code: 'agent_silent',
      message: `${title} did not respond to this message, so it was stopped.`,
    })
  else if (state.isAborting)
    endUnstartedRun(state, { code: 'message_interrupted', message: `${title} was stopped.` })
  else closeRun(state, { type: 'agent_end', stopReason: 'interrupted', interrupted: true })
}

/** Reports which messages were lost with the process, and which are still queued. */
const reportQueue = (state: ConversationState, isRunKept: boolean): void => {
  const { queue, emit } = state
  const held = queue.dropSent()
  const shown = showUnconfirmed(state, isRunKept)
  // An extension of the agent can queue messages, too.
  if (held > shown) emit(lostMessagesNotice(held - shown))
  if (queue.size() > 0) emit(stillQueuedNotice(queue.size()))
}
