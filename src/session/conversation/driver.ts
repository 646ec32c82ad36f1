import { randomUUID } from 'node:crypto'
import type { Agent } from '../../agents/agent.ts'
import {
  type Command,
  type Connection,
  type ContextShare,
  type LiveOptions,
  optionalRequestPrefix,
  type SendQuery,
  type Withdrawal,
} from '../../agents/live.ts'
import { type AgentStream, createStream, type LineTap } from '../../agents/stream.ts'
import type { AgentEvent, EventOf } from '../../events/types.ts'
import { closedOutputError, exitError } from '../../process/exit-error.ts'
import type { Freezer } from '../../process/freeze-agent.ts'
import { installedVersion } from '../../process/installed-version.ts'
import { nodeTextReader } from '../../process/node-text-reader.ts'
import type { Sandbox } from '../../process/sandbox.ts'
import { type ByteTap, startProcess } from '../../process/spawn.ts'
import type { Exit, StopOptions } from '../../process/stop-process.ts'
import { defined } from '../../shared/fields.ts'
import { finishesWithin } from '../../shared/finishes-within.ts'
import { oneLineJson } from '../../shared/one-line-json.ts'
import { openWorkspace } from '../../workspace/open-workspace.ts'
import { type Backpressure, createBackpressure, logTooSlow } from './backpressure.ts'
import { createEventFollower } from './event-follower.ts'
import { createHistoryRequests, type HistoryRequests } from './history-requests.ts'
import { createReplies, type Replies } from './replies.ts'
import type { CommandResult } from './session.ts'

export interface DriverOptions extends LiveOptions {
  agent: Agent
  program: string
  cwd: string
  env?: NodeJS.ProcessEnv
  sandbox?: Sandbox
  /** The session’s id: set in the environment of the agent and of all that the agent starts. */
  sessionId?: string
  /** By which a later server finds what the agent started. */
  markKey?: number
  /** Prefix of the message ids that the decoder makes. */
  scope: string
  lineTap?: LineTap
  byteTap?: ByteTap
  onEvents(events: readonly AgentEvent[]): void
  /** Called when the process has ended, after the events that close what it left open. */
  onExit(exit: Exit, errorMessage: string | undefined): void
  /** How long a reply may take. */
  replyMs?: number
  /** How long an agent that cannot wait may be paused. */
  patienceMs?: number
}

/** One process of an agent: commands in, events out. */
export interface Driver extends Pick<Backpressure, 'setPressure' | 'isPaused'> {
  readonly pid: number
  /** Resolves when the process has ended and its output has been read. */
  readonly done: Promise<Exit>
  /** Writes a command, and waits for the reply where the agent replies. */
  send(command: Command): Promise<SendResult>
  /** The models that the agent offers; undefined if it cannot list them. */
  models(): Promise<string[] | undefined>
  /** What the context consists of; undefined if the agent cannot say it. */
  contextParts(): Promise<ContextShare[] | undefined>
  /** Requests about earlier points of the conversation. */
  readonly history: HistoryRequests
  /** What the agent reports that it is doing; `unknown` if it cannot report that. */
  activity(): Promise<'working' | 'idle' | 'unknown'>
  /** Takes back a message that the agent has and has not read. */
  withdraw(message: { id: string; text: string }): Promise<Withdrawal>
  /** Stops the agent where it is: then it can call neither a model nor a tool. */
  readonly freezer: Freezer
  /** Closes the input: the agent finishes its work and ends by itself. */
  finish(): void
  /** Ends the process and everything that it started, by one signal after another. */
  stop(how: StopOptions): Promise<void>
  /** Kills the process and everything that it started, without waiting. */
  kill(): void
}

/** What a process makes of a command. */
export type SendResult = Extract<
  CommandResult,
  { outcome: 'accepted' | 'unanswered' | 'gone' | 'unsupported' | 'refused' }
>

/** Starts an agent’s process. */
export const startDriver = async (options: DriverOptions): Promise<Driver> => {
  const { agent, onEvents, replyMs = 30_000 } = options
  const { live } = agent
  if (!live) throw new Error(`${agent.name} cannot be driven`)
  const replies = createReplies(replyMs, (done, ms) => backpressure.finishesWithin(done, ms))
  const version = installedVersion(options.program)
  let written = Promise.resolve()
  const workspace = openWorkspace(workspaceOptions(options, () => written))
  const connection = live.connect({
    ...options,
    version,
    workspace,
    onReply: replies.accept,
    write(lines) {
      written = child.write(lines.map(toLine).join(''))
    },
    emit: (events) => accept(events),
  })
  const stream = streamOf(connection, options.lineTap)
  const follower = createEventFollower(connection)
  const accept = (events: readonly AgentEvent[]) => {
    onEvents(events)
    follower.push(events)
  }
  let isStopping = false
  const stopping = <Result>(stop: () => Result): Result => {
    isStopping = true
    return stop()
  }
  /** Why this driver killed the process. */
  let failure: EventOf<'error'> | undefined

  const child = await startProcess({
    ...processOptions(options, live.args({ ...options, version })),
    onChunk: (chunk) => accept(stream.push(chunk)),
  })
  const backpressure = createBackpressure({
    ...options,
    process: child,
    onTooSlow() {
      failure = logTooSlow(agent)
      child.kill()
    },
  })

  void child.stdoutClosed.then(async () => {
    if (isStopping || (await finishesWithin(child.done, outputClosedMs)) || isStopping) return
    failure ??= closedOutputError(agent.title, child.stderr())
    await child.stop({ signals: ['SIGTERM', 'SIGKILL'] })
  })
  const { done, freezer } = workspace.join(child)
  void done.then((exit) => {
    backpressure.close()
    follower.close()
    const unexpected = isStopping ? undefined : exitError(agent.title, exit, child.stderr(), false)
    const error = failure ?? unexpected
    if (error) onEvents([error])
    onEvents(stream.end())
    replies.close()
    options.onExit(exit, error?.message)
  })
  const isWritten = () => backpressure.finishesWithin(written, replyMs)
  connection.open()

  return {
    ...{ pid: child.pid, done, freezer },
    ...createRequests({ agent, connection, replies, replyMs, isWritten }),
    setPressure: backpressure.setPressure,
    isPaused: () => freezer.isFrozen() || backpressure.isPaused(),
    finish: () => stopping(child.closeInput),
    stop: (how) => stopping(() => child.stop(how)),
    kill: () => stopping(child.kill),
  }
}

/** How long a process may take to end after it has closed its output. */
const outputClosedMs = 2000

const toLine = (value: unknown): string => `${oneLineJson(JSON.stringify(value))}\n`

/** The connection has a decoder of its own. */
const streamOf = ({ decoder, shortcut }: Connection, lineTap: LineTap | undefined): AgentStream =>
  createStream(
    { createDecoder: () => decoder, createShortcut: () => shortcut },
    { reader: nodeTextReader, ...defined({ lineTap }) },
  )

/** The environment variable that names the session of an agent. */
const sessionVariable = 'AGENT_SESSION_TAG'

/** The commands that the agent runs through Sluice start as the agent does. */
const workspaceOptions = (options: DriverOptions, whenWritten: () => Promise<void>) => {
  const { agent, cwd, sandbox, sessionId, markKey, env = process.env, start } = options
  const ownEnv = sessionId === undefined ? {} : { [sessionVariable]: sessionId }
  const directories = start?.directories ?? []
  return { agent, cwd, sandbox, markKey, env, ownEnv, directories, whenWritten }
}

const processOptions = (options: DriverOptions, args: string[]) => {
  const { agent, program, cwd, sandbox, sessionId, markKey, env = process.env, start } = options
  return {
    byteTap: options.byteTap,
    agent,
    sandbox,
    program,
    args,
    cwd,
    directories: start?.directories,
    env: sessionId === undefined ? env : { ...env, [sessionVariable]: sessionId },
    markKey,
    stdin: true,
  }
}

interface RequestDeps {
  agent: Agent
  connection: Connection
  replies: Replies
  replyMs: number
  /** Whether what was sent is written in time. */
  isWritten(): Promise<boolean>
}

const createRequests = (
  deps: RequestDeps,
): Pick<Driver, 'send' | 'models' | 'contextParts' | 'activity' | 'withdraw' | 'history'> => {
  const { agent, connection, replies, replyMs, isWritten } = deps

  /** The response to a request that the agent may not support; undefined if there is none. */
  const requestOptional = async (request: SendQuery): Promise<unknown> => {
    if (replies.isClosed()) return undefined
    const id = `${optionalRequestPrefix}${randomUUID()}`
    const reply = replies.replyTo(id, Math.min(replyMs, optionalMs))
    request(id)
    const result = await reply
    return result.outcome === 'accepted' ? result.data : undefined
  }

  const models = async (): Promise<string[] | undefined> => {
    const { models } = connection
    const response = models && (await requestOptional(models.request))
    return response === undefined ? undefined : models?.namesIn(response)
  }

  /** The command with the full name of its model; undefined if there is no such model. */
  const withFullName = async (command: SetModel): Promise<SetModel | undefined> => {
    if (!connection.models?.find) return command
    const names = await models()
    if (!names) return command
    const model = connection.models.find(command.model, names)
    return model === undefined ? undefined : { ...command, model }
  }

  return {
    models,
    history: createHistoryRequests(connection, replies),
    async contextParts() {
      const { context } = connection
      const response = context && (await requestOptional(context.request))
      return response === undefined ? undefined : context?.partsIn(response)
    },
    async send(original) {
      const command = original.type === 'setModel' ? await withFullName(original) : original
      if (replies.isClosed()) return { outcome: 'gone' }
      if (!command) return { outcome: 'refused', error: unknownModel(agent, original) }
      const reply = replies.replyTo(command.id)
      const kind = connection.send(command)
      if (kind !== 'replies') replies.accept({ id: command.id, ok: true })
      if (kind === 'unsupported') return { outcome: 'unsupported' }
      if (kind === 'written') return { outcome: (await isWritten()) ? 'accepted' : 'unanswered' }
      const { data: _, ...result } = await reply
      return result
    },
    async activity() {
      const { state } = connection
      if (!state || replies.isClosed()) return 'unknown'
      const id = randomUUID()
      const reply = replies.replyTo(id)
      state.request(id)
      const result = await reply
      if (result.outcome !== 'accepted') return 'unknown'
      return state.isWorking(result.data) ? 'working' : 'idle'
    },
    async withdraw({ id: messageId, text }) {
      const { withdrawal: way } = connection
      const response = way && (await requestOptional((id) => way.request(id, messageId)))
      return response === undefined || !way ? notWithdrawn : way.resultOf(response, text)
    },
  }
}

type SetModel = Extract<Command, { type: 'setModel' }>

/** How long an agent may take to respond: older agents do not reply at all. */
const optionalMs = 3000

const notWithdrawn: Withdrawal = { isWithdrawn: false, others: [] }

const unknownModel = ({ title }: Agent, command: Command): string =>
  `${title} has no model “${'model' in command ? command.model : ''}”.`
