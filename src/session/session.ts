import { randomUUID } from 'node:crypto'
import type { Agent } from '../agents/agent.ts'
import type { Command, PromptImage } from '../agents/live.ts'
import type { AgentEvent, EventOf } from '../events/event.ts'
import { createLedger, type Ledger } from '../ledger/ledger.ts'
import { createAnnotator } from './annotate.ts'
import { type ApprovalPolicy, createApprovals, type Decision } from './approvals.ts'
import { type Driver, type Outcome, startDriver } from './driver.ts'
import { createQueue } from './queue.ts'
import type { Recorder } from './recorder.ts'
import { within } from './within.ts'

/** What a session asks of the world around it. */
export interface SessionWorld {
  agent: Agent
  program: string
  cwd: string
  env?: NodeJS.ProcessEnv
  /** File of the extension that asks before a tool runs, for agents that need one. */
  gate?: string
  recorder: Recorder
  now(): number
  /** The session’s record changed: the agent’s own id, its process, its name. */
  onRecord(patch: SessionChange): void
  policy?: ApprovalPolicy
  approvalMs?: number
  /** How long an agent may take to obey an abort before it is signalled. */
  abortMs?: number
}

export interface SessionChange {
  nativeId?: string
  model?: string
  name?: string
  pid?: number | null
  state?: 'idle' | 'running'
}

export interface SessionStart {
  model?: string
  /** The agent’s own session to go on with. */
  nativeId?: string
  /** Events that are in the log already; none for a new session. */
  head: number
  /** The account of those events. */
  ledger?: Ledger
}

/** What became of a request to a session. */
export type Asked = Outcome | { outcome: 'busy' | 'failed'; error: string }

/** One conversation with one agent: commands in, recorded events out. The process comes and goes. */
export const createSession = (world: SessionWorld, start: SessionStart) => {
  const { agent, recorder } = world
  const ledger = start.ledger ?? createLedger()
  const annotate = createAnnotator(ledger)
  let driver: Driver | undefined
  let starting: Promise<Driver> | undefined
  let processes = 0
  let { nativeId, model } = start
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
      void driver?.send({ type: 'answer', id: randomUUID(), request, answer }),
    ...(world.policy && { policy: world.policy }),
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
        return runEnded(event)
      case 'message_end':
        emit(event)
        if (event.message.role === 'user') queue.delivered(event.messageId)
        return
      default:
        return emit(event)
    }
  }

  const runEnded = (event: EventOf<'agent_end'>) => {
    running = false
    prompting = false
    world.onRecord({ state: 'idle' })
    ended.resolve()
    ended = Promise.withResolvers()
    if (event.stopReason === 'aborted' && queue.size() > 0)
      return emit(notice(`${queue.size()} messages stay queued.`))
    const next = event.interrupted ? undefined : queue.next()
    if (next) void ask({ type: 'prompt', ...next })
  }

  const gone = () => {
    driver = undefined
    approvals.cancelAll('agent_gone')
    running = false
    prompting = false
    ended.resolve()
    ended = Promise.withResolvers()
    world.onRecord({ pid: null, state: 'idle' })
  }

  const launch = async (): Promise<Driver> => {
    processes += 1
    if (processes > 1 || start.head > 0) ledger.nextProcess()
    isResuming = nativeId !== undefined
    const started = await startDriver({
      agent,
      program: world.program,
      cwd: world.cwd,
      scope: start.head === 0 && processes === 1 ? '' : `${randomUUID().slice(0, 8)}-`,
      ...(world.env && { env: world.env }),
      ...(world.gate !== undefined && { gate: world.gate }),
      ...(model !== undefined && { model }),
      ...(nativeId !== undefined && { resume: nativeId }),
      onEvents: (events) => events.forEach(take),
      onExit: gone,
    })
    world.onRecord({ pid: started.pid })
    driver = started
    return started
  }

  const ensure = (): Promise<Driver> => {
    if (driver) return Promise.resolve(driver)
    starting ??= launch().finally(() => {
      starting = undefined
    })
    return starting
  }

  const ask = async (command: Command): Promise<Asked> => {
    if (command.type === 'prompt') prompting = true
    try {
      const outcome = await (await ensure()).send(command)
      if (outcome.outcome === 'gone' && isResuming) return beginAnew(command)
      if (command.type === 'prompt' && outcome.outcome !== 'accepted') prompting = false
      return outcome
    } catch (cause) {
      prompting = false
      return { outcome: 'failed', error: cause instanceof Error ? cause.message : String(cause) }
    }
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
    /** A new run. Refused while one is going on: then it is steer or followUp that is meant. */
    async prompt(text: string, images?: PromptImage[]): Promise<Asked> {
      if (isBusy()) return { outcome: 'busy', error: 'The agent is working.' }
      return ask({ type: 'prompt', id: randomUUID(), text, ...(images && { images }) })
    },
    /** Delivered as soon as the agent takes it. */
    async steer(text: string): Promise<Asked> {
      if (!isBusy()) return this.prompt(text)
      const id = randomUUID()
      if (agent.live?.queue === 'session') queue.steer({ id, text })
      return ask({ type: 'steer', id, text })
    },
    /** Delivered when the run is over. */
    async followUp(text: string): Promise<Asked> {
      if (!isBusy()) return this.prompt(text)
      const id = randomUUID()
      if (agent.live?.queue === 'agent') return ask({ type: 'followUp', id, text })
      queue.followUp({ id, text })
      return { outcome: 'accepted' }
    },
    /** Ends the run: by the agent’s own protocol, and by signals if it does not obey. */
    async abort(): Promise<void> {
      const live = driver
      approvals.cancelAll('cancelled')
      if (!live || !isBusy()) return
      const over = ended.promise
      emit(status('stopping'))
      void live.send({ type: 'abort', id: randomUUID() })
      if (await within(over, world.abortMs ?? 10_000)) return
      await live.stop({
        signals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
        onStage: (signal) => emit(status(`stopping (${signal})`)),
      })
      await live.done
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
    /** False when the request is no longer open. */
    answer: (approvalId: string, decision: Decision): boolean =>
      approvals.answer(approvalId, decision),
    pendingApprovals: approvals.pending,
    /** Settles when no run is going on. */
    async idle(): Promise<void> {
      if (isBusy()) await ended.promise
    },
    /** Ends the process; the session can go on later with the agent’s own history. */
    async stop(): Promise<void> {
      await starting
      const live = driver
      if (live) {
        live.finish()
        const isGone = await within(
          live.done.then(() => undefined),
          2000,
        )
        if (!isGone) await live.stop({ signals: ['SIGTERM', 'SIGKILL'] })
        await live.done
      }
      await recorder.settled()
    },
  }
}
export type Session = ReturnType<typeof createSession>

const notice = (text: string): AgentEvent => ({
  type: 'session_update',
  notice: { level: 'info', text },
})

const status = (text: string): AgentEvent => ({ type: 'session_update', status: text })
