import { randomUUID } from 'node:crypto'
import type { PromptImage } from '../../agents/live.ts'
import type { AgentEvent, EventOf } from '../../events/types.ts'
import { createLedger } from '../../ledger/ledger.ts'
import { Fault } from '../../shared/fault.ts'
import { defined } from '../../shared/fields.ts'
import { finishesWithin } from '../../shared/finishes-within.ts'
import { createAnnotator } from '../recording/annotate.ts'
import { createActivityTracker } from './activity.ts'
import { type ApprovalDecision, createApprovals } from './approvals.ts'
import type { CommandResult } from './command-result.ts'
import { type Driver, startDriver } from './driver.ts'
import { lostMessagesNotice, statusUpdate, staysQueuedNotice } from './notices.ts'
import { createQueue, messageOf, queueFull } from './queue.ts'
import { createResumption } from './resumption.ts'
import { createRunner, type EndReason } from './runner.ts'
import { createCommandSender } from './send-command.ts'
import { processOptions, type SessionDeps, type SessionStart } from './session-deps.ts'

/** One conversation with one agent: commands in, recorded events out. The process comes and goes. */
export const createSession = (world: SessionDeps, start: SessionStart) => {
  const { agent, recorder } = world
  const ledger = start.ledger ?? createLedger()
  const annotate = createAnnotator(ledger)
  const activity = createActivityTracker()
  const { isBusy } = activity
  const resumption = createResumption(agent.live, start.nativeId)
  let { model } = start
  let processes = 0
  /** Messages that a run left behind when it was stopped: nobody asked for a run of them. */
  let takenBack = new Set<string>()
  /** Its process is being ended: nothing new is given to it. */
  let isStopping = false
  let isLeaving = false
  /** Whether the stream has its `session_start`. */
  let begun = start.head > 0

  const emit = (event: AgentEvent) => {
    // A message can be queued before the agent has said a word.
    if (!begun && event.type !== 'session_start') emit({ type: 'session_start', agent: agent.name })
    begun = true
    recorder.push(annotate([event]))
  }

  const approvals = createApprovals({
    now: world.now,
    emit,
    reply: (request, answer) =>
      void runner.driver()?.send({ type: 'answer', id: randomUUID(), request, answer }),
    ...(world.policy && { policy: world.policy }),
    ...(world.remembered && { remembered: world.remembered }),
    ...(world.approvalMs !== undefined && { deadlineMs: world.approvalMs }),
  })
  const queue = createQueue(emit)

  /** A second process of the same session has nothing to begin: what it says is an update. */
  const about = (event: EventOf<'session_start' | 'session_update'>) => {
    if (event.nativeId !== undefined) resumption.named(event.nativeId)
    model = event.model ?? model
    const change = defined({ nativeId: event.nativeId, model: event.model, name: event.name })
    if (Object.keys(change).length > 0) world.onRecord(change)
    if (event.type === 'session_update' || !begun) return emit(event)
    const { type: _, agent: __, ...said } = event
    emit({ type: 'session_update', ...said })
  }

  const take = (event: AgentEvent): unknown => {
    if (event.type !== 'error') resumption.spoke()
    switch (event.type) {
      case 'session_start':
      case 'session_update':
        return about(event)
      case 'approval_request':
        return approvals.request(event)
      case 'approval_resolved':
        return approvals.resolvedByAgent(event)
      case 'agent_start':
        activity.began()
        world.onRecord({ state: 'running' })
        return emit(event)
      case 'agent_end':
        emit(event)
        // What is told before an account is kept is not read again: not while messages wait.
        if (queue.sizeOfAll() === 0) world.onAccount?.()
        return runEnded(event)
      case 'message_end':
        emit(event)
        return event.message.role === 'user' ? delivered(event.messageId) : undefined
      case 'queue_update':
        queue.heldByAgent(event.queued)
        return emit(event)
      default:
        return emit(event)
    }
  }

  /** Old agents take what waits into a run of its own, even when they were told to stop. */
  const delivered = (messageId: string) => {
    queue.delivered(messageId)
    if (takenBack.has(messageId)) sendAbort()
  }

  const sendAbort = () =>
    void runner.driver()?.send({ type: 'abort', id: randomUUID(), sent: queue.sent() })

  const runEnded = (event: EventOf<'agent_end'>) => {
    activity.rested()
    world.onRecord({ state: 'idle' })
    if (event.stopReason !== 'aborted') return event.interrupted ? undefined : sendNext()
    takenBack = new Set(queue.sent())
    queue.takeBack()
    if (queue.sizeOfAll() > 0 && !isStopping) emit(staysQueuedNotice(queue.sizeOfAll()))
  }

  /** What is given to a process that is being ended would be lost. */
  const sendNext = () => {
    const next = isStopping ? undefined : queue.next()
    if (next) takenBack.delete(next.id)
    if (next) void ask({ type: 'prompt', ...next })
  }

  /** What becomes of messages that wait when no process lives. */
  const tellQueue = () => {
    const lost = isLeaving ? queue.lostAll() : queue.lost()
    if (lost > 0) emit(lostMessagesNotice(lost))
    if (queue.size() > 0) emit(staysQueuedNotice(queue.size()))
  }

  const runner = createRunner({
    async start(onExit): Promise<Driver> {
      await world.makeRoom?.()
      if (isLeaving) throw new Fault('agent_not_started', 'The session is being closed.')
      processes += 1
      const isFirst = start.head === 0 && processes === 1
      if (!isFirst) {
        ledger.nextProcess()
        world.onAccount?.()
        queue.tellAgain()
      }
      resumption.started()
      asking.started()
      const nativeId = resumption.nativeId()
      const driver = await startDriver({
        ...processOptions(world),
        scope: isFirst ? '' : `${randomUUID().slice(0, 8)}-`,
        ...(model !== undefined && { model }),
        ...(nativeId !== undefined && { resume: nativeId }),
        onEvents: (events) => events.forEach(take),
        onExit: (_, errorMessage) => onExit(errorMessage),
      })
      world.onRecord({ pid: driver.pid })
      return driver
    },
    onEnd(reason, errorMessage) {
      approvals.cancelAll('agent_gone')
      if (reason === 'agent_gone') resumption.died(errorMessage ?? '')
      tellQueue()
      activity.rested()
      world.onRecord({ pid: null, state: 'idle' })
      world.onEnd?.(reason, errorMessage)
      asking.ended()
    },
  })

  const asking = createCommandSender({
    runner,
    activity,
    resumption,
    emit,
    onNoRun: sendNext,
    beginMs: world.beginMs,
  })
  const { ask } = asking

  /** Ends the process; the session can go on later with the agent’s own history. */
  const stop = async (reason: EndReason = 'stopped'): Promise<void> => {
    isStopping = true
    try {
      await runner.end(reason)
    } finally {
      isStopping = false
    }
    await recorder.settled()
  }

  return {
    isBusy,
    /** Whether a process lives, or is about to. */
    isAlive: runner.isAlive,
    /** Whether nothing would be lost if the session left the memory. */
    isResting: () => !isBusy() && queue.size() === 0,
    /** A new run. Refused while one is going on: then it is steer or followUp that is meant. */
    async prompt(text: string, images?: PromptImage[]): Promise<CommandResult> {
      if (isBusy()) return { outcome: 'busy', error: 'The agent is working.' }
      const asked = await ask({ type: 'prompt', ...messageOf(text, images) })
      if (asked.outcome === 'accepted') world.onPrompt?.(text)
      return asked
    },
    /** Delivered as soon as the agent takes it. */
    async steer(text: string, images?: PromptImage[]): Promise<CommandResult> {
      if (!isBusy()) return this.prompt(text, images)
      if (queue.isFull()) return queueFull
      const message = messageOf(text, images)
      if (agent.live?.queue === 'session') queue.steer(message)
      return ask({ type: 'steer', ...message })
    },
    /** Delivered when the run is over. */
    async followUp(text: string, images?: PromptImage[]): Promise<CommandResult> {
      if (!isBusy()) return this.prompt(text, images)
      if (queue.isFull()) return queueFull
      const message = messageOf(text, images)
      if (agent.live?.queue === 'agent') return ask({ type: 'followUp', ...message })
      queue.followUp(message)
      return { outcome: 'accepted' }
    },
    /** Ends the run: by the agent’s own protocol, and by signals if it does not obey. */
    async abort(): Promise<void> {
      if (!isBusy()) return approvals.cancelAll('cancelled')
      const { abortMs = 10_000 } = world
      const over = activity.rests()
      emit(statusUpdate('stopping'))
      // An agent that does not work yet would not know what to end; one that asks does work.
      if (approvals.pending().length === 0) await finishesWithin(activity.begins(), abortMs)
      // Before the refusals: an agent that is refused first would begin another model call.
      if (isBusy()) sendAbort()
      approvals.cancelAll('cancelled')
      if (await finishesWithin(over, abortMs)) return
      await runner.kill('stopped', {
        signals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
        onSignal: (signal) => emit(statusUpdate(`stopping (${signal})`)),
      })
    },
    compact: (instructions?: string): Promise<CommandResult> =>
      ask({ type: 'compact', id: randomUUID(), ...defined({ instructions }) }),
    setModel: (name: string): Promise<CommandResult> =>
      ask({ type: 'setModel', id: randomUUID(), model: name }),
    /** Those that its agent can use; undefined where none lives, or it does not say. */
    models: async (): Promise<string[] | undefined> => runner.driver()?.models(),
    setThinking: (level: string): Promise<CommandResult> =>
      ask({ type: 'setThinking', id: randomUUID(), level }),
    setName: (name: string): Promise<CommandResult> =>
      ask({ type: 'setName', id: randomUUID(), name }),
    /** The same without an agent: one that lives is told of it, none is started. Empty: no name. */
    async rename(name: string): Promise<void> {
      about({ type: 'session_update', name })
      if (name !== '') void runner.driver()?.send({ type: 'setName', id: randomUUID(), name })
      await recorder.settled()
    },
    /** False when the request is no longer open. */
    answer: (approvalId: string, decision: ApprovalDecision): boolean =>
      approvals.answer(approvalId, decision),
    pendingApprovals: approvals.pending,
    /** Settles when no run is going on, and what it said is stored and told. */
    async idle(): Promise<void> {
      do {
        while (isBusy()) await activity.rests()
        await recorder.settled()
      } while (isBusy())
    },
    stop,
    /** The same, for a session that leaves the memory: what waits in its queue is lost. */
    async leave(reason: EndReason): Promise<void> {
      isLeaving = true
      await stop(reason)
      if (queue.size() > 0) tellQueue()
      await recorder.settled()
    },
    /** Ends the process and all that it started, at once. */
    kill: () => runner.killNow('stopped'),
  }
}
export type AwakeSession = ReturnType<typeof createSession>
/** What may be asked of a session, whether it is in memory or not. */
export type Session = Omit<AwakeSession, 'leave' | 'kill'>
