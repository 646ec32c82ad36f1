import { randomUUID } from 'node:crypto'
import type { Command, PromptImage } from '../agents/live.ts'
import type { AgentEvent, EventOf } from '../events/event.ts'
import { createLedger } from '../ledger/ledger.ts'
import { createAnnotator } from './annotate.ts'
import { createApprovals, type Decision } from './approvals.ts'
import { type Asked, failedBy } from './asked.ts'
import { type Driver, startDriver } from './driver.ts'
import { createQueue, type QueuedMessage } from './queue.ts'
import { createRunner, type EndReason } from './runner.ts'
import { within } from './within.ts'
import type { SessionStart, SessionWorld } from './world.ts'

export type { Asked } from './asked.ts'
export type { SessionChange, SessionStart, SessionWorld } from './world.ts'

/** One conversation with one agent: commands in, recorded events out. The process comes and goes. */
export const createSession = (world: SessionWorld, start: SessionStart) => {
  const { agent, recorder } = world
  const ledger = start.ledger ?? createLedger()
  const annotate = createAnnotator(ledger)
  let { nativeId, model } = start
  let processes = 0
  /** This process was to go on with a conversation, and has said nothing yet. */
  let isResuming = false
  let running = false
  let prompting = false
  /** Whether the stream has its `session_start`. */
  let begun = start.head > 0
  /** Those who wait for the run to be over. */
  let ended = Promise.withResolvers<void>()

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
    nativeId = event.nativeId ?? nativeId
    model = event.model ?? model
    const { nativeId: id, model: named, name } = event
    if (id !== undefined) world.onRecord({ nativeId: id })
    if (named !== undefined) world.onRecord({ model: named })
    if (name !== undefined) world.onRecord({ name })
    if (event.type === 'session_update' || !begun) return emit(event)
    const { type: _, agent: __, ...said } = event
    emit({ type: 'session_update', ...said })
  }

  const take = (event: AgentEvent): unknown => {
    if (event.type !== 'error') isResuming = false
    switch (event.type) {
      case 'session_start':
      case 'session_update':
        return about(event)
      case 'approval_request':
        return approvals.request(event)
      case 'approval_resolved':
        return approvals.resolvedByAgent(event)
      case 'agent_start':
        running = true
        prompting = false
        world.onRecord({ state: 'running' })
        return emit(event)
      case 'agent_end':
        emit(event)
        world.onAccount?.()
        return runEnded(event)
      case 'message_end':
        emit(event)
        if (event.message.role === 'user') queue.delivered(event.messageId)
        return
      case 'queue_update':
        queue.heldByAgent(event.queued)
        return emit(event)
      default:
        return emit(event)
    }
  }

  const rest = () => {
    running = false
    prompting = false
    ended.resolve()
    ended = Promise.withResolvers()
  }

  const runEnded = (event: EventOf<'agent_end'>) => {
    rest()
    world.onRecord({ state: 'idle' })
    if (event.stopReason === 'aborted' && queue.size() > 0)
      return emit(notice(`${queue.size()} messages stay queued.`))
    const next = event.interrupted ? undefined : queue.next()
    if (next) void ask({ type: 'prompt', ...next })
  }

  const runner = createRunner({
    async start(onExit): Promise<Driver> {
      await world.makeRoom?.()
      processes += 1
      const isFirst = start.head === 0 && processes === 1
      if (!isFirst) {
        ledger.nextProcess()
        world.onAccount?.()
      }
      isResuming = nativeId !== undefined
      const driver = await startDriver({
        agent,
        program: world.program(),
        cwd: world.cwd,
        scope: isFirst ? '' : `${randomUUID().slice(0, 8)}-`,
        ...(world.env && { env: world.env }),
        ...(world.gate !== undefined && { gate: world.gate }),
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
      const lost = queue.lost()
      if (lost > 0) emit(notice(`${lost} queued messages are lost with the agent.`))
      rest()
      world.onRecord({ pid: null, state: 'idle' })
      world.onEnd?.(reason, errorMessage)
    },
  })

  const ask = async (command: Command): Promise<Asked> => {
    if (command.type === 'prompt') prompting = true
    try {
      const outcome = await (await runner.ensure()).send(command)
      if (outcome.outcome === 'gone' && isResuming) return await beginAnew(command)
      if (outcome.outcome !== 'accepted') notTaken(command)
      return outcome
    } catch (cause) {
      notTaken(command)
      return failedBy(cause)
    }
  }

  /** No run comes of a prompt that the agent did not take. */
  const notTaken = ({ type }: Command) => {
    if (type === 'prompt' && !running) rest()
  }

  /** An agent keeps its history only once it has answered: one that died first knows nothing. */
  const beginAnew = (command: Command): Promise<Asked> => {
    nativeId = undefined
    isResuming = false
    emit(notice('The agent has no record of this conversation. It begins anew.'))
    return ask(command)
  }

  const isBusy = () => running || prompting

  return {
    isBusy,
    /** Whether a process lives, or is about to. */
    isAlive: runner.isAlive,
    /** Whether nothing would be lost if the session left the memory. */
    isResting: () => !isBusy() && queue.size() === 0,
    /** A new run. Refused while one is going on: then it is steer or followUp that is meant. */
    async prompt(text: string, images?: PromptImage[]): Promise<Asked> {
      if (isBusy()) return { outcome: 'busy', error: 'The agent is working.' }
      return ask({ type: 'prompt', ...messageOf(text, images) })
    },
    /** Delivered as soon as the agent takes it. */
    async steer(text: string, images?: PromptImage[]): Promise<Asked> {
      if (!isBusy()) return this.prompt(text, images)
      const message = messageOf(text, images)
      if (agent.live?.queue === 'session') queue.steer(message)
      return ask({ type: 'steer', ...message })
    },
    /** Delivered when the run is over. */
    async followUp(text: string, images?: PromptImage[]): Promise<Asked> {
      if (!isBusy()) return this.prompt(text, images)
      const message = messageOf(text, images)
      if (agent.live?.queue === 'agent') return ask({ type: 'followUp', ...message })
      queue.followUp(message)
      return { outcome: 'accepted' }
    },
    /** Ends the run: by the agent’s own protocol, and by signals if it does not obey. */
    async abort(): Promise<void> {
      const over = ended.promise
      const live = isBusy() ? await runner.current() : undefined
      if (!live) return approvals.cancelAll('cancelled')
      emit(status('stopping'))
      // Before the refusals: an agent that is refused first would begin another model call.
      void live.send({ type: 'abort', id: randomUUID() })
      approvals.cancelAll('cancelled')
      if (await within(over, world.abortMs ?? 10_000)) return
      await runner.kill('stopped', {
        signals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
        onStage: (signal) => emit(status(`stopping (${signal})`)),
      })
    },
    compact: (instructions?: string): Promise<Asked> =>
      ask({
        type: 'compact',
        id: randomUUID(),
        ...(instructions !== undefined && { instructions }),
      }),
    setModel: (name: string): Promise<Asked> =>
      ask({ type: 'setModel', id: randomUUID(), model: name }),
    setThinking: (level: string): Promise<Asked> =>
      ask({ type: 'setThinking', id: randomUUID(), level }),
    setName: (name: string): Promise<Asked> => ask({ type: 'setName', id: randomUUID(), name }),
    /** The same without an agent: one that lives is told of it, none is started. */
    async rename(name: string): Promise<void> {
      about({ type: 'session_update', name })
      void runner.driver()?.send({ type: 'setName', id: randomUUID(), name })
    },
    /** False when the request is no longer open. */
    answer: (approvalId: string, decision: Decision): boolean =>
      approvals.answer(approvalId, decision),
    pendingApprovals: approvals.pending,
    /** Settles when no run is going on, and what it said is stored and told. */
    async idle(): Promise<void> {
      if (isBusy()) await ended.promise
      await recorder.settled()
    },
    /** Ends the process; the session can go on later with the agent’s own history. */
    async stop(reason: EndReason = 'stopped'): Promise<void> {
      await runner.end(reason)
      await recorder.settled()
    },
  }
}
export type Session = ReturnType<typeof createSession>

const messageOf = (text: string, images: PromptImage[] | undefined): QueuedMessage => ({
  id: randomUUID(),
  text,
  ...(images && { images }),
})

const notice = (text: string): AgentEvent => ({
  type: 'session_update',
  notice: { level: 'info', text },
})

const status = (text: string): AgentEvent => ({ type: 'session_update', status: text })
