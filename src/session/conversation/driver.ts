import { randomUUID } from 'node:crypto'
import type { Agent } from '../../agents/agent.ts'
import { type Command, type CommandReply, type LiveOptions, quietMark } from '../../agents/live.ts'
import { createStream } from '../../agents/stream.ts'
import type { AgentEvent } from '../../events/types.ts'
import { exitError } from '../../process/exit-error.ts'
import { nodeTextReader } from '../../process/node-text-reader.ts'
import { sessionVariable } from '../../process/process-tags.ts'
import { type Exit, type StopOptions, startProcess } from '../../process/spawn.ts'
import { finishesWithin } from '../../shared/finishes-within.ts'

export interface DriverOptions extends LiveOptions {
  agent: Agent
  program: string
  cwd: string
  env?: NodeJS.ProcessEnv
  /** The session that it works for: what it starts is known by it. */
  sessionId?: string
  /** Put before the message ids that the decoder makes. */
  scope: string
  onEvents(events: readonly AgentEvent[]): void
  /** The process is gone; what it left open has been settled by the events before. */
  onExit(exit: Exit, errorMessage: string | undefined): void
  /** How long a reply may take. */
  replyMs?: number
}

/** What became of a command. */
export type SendOutcome = { outcome: 'accepted' | 'unanswered' | 'gone' | 'unsupported' } | Refused
interface Refused {
  outcome: 'refused'
  error: string
}

type Replied = SendOutcome & { data?: unknown }

type SetModel = Extract<Command, { type: 'setModel' }>

/** How long a list of models may take: older agents do not answer at all. */
const modelsMs = 3000

/** Commands whose reply must be waited for; the rest are taken when they are written. */
const isReplied = (agent: Agent, command: Command): boolean =>
  command.type !== 'answer' &&
  (agent.live?.queue === 'agent' || command.type === 'abort' || command.type.startsWith('set'))

/** A live agent process: commands in, events out. */
export const startDriver = async (options: DriverOptions) => {
  const { agent, onEvents, sessionId, env = process.env, replyMs = 30_000 } = options
  const { live } = agent
  if (!live) throw new Error(`${agent.name} cannot be driven`)
  const waiting = new Map<string, (replied: Replied) => void>()

  const onReply = ({ id, ok, error = 'refused', data }: CommandReply) =>
    waiting.get(id)?.(ok ? { outcome: 'accepted', data } : { outcome: 'refused', error })

  const stream = createStream(agent, { reader: nodeTextReader, scope: options.scope, onReply })
  const child = await startProcess({
    program: options.program,
    args: live.args(options),
    cwd: options.cwd,
    env: sessionId === undefined ? env : { ...env, [sessionVariable]: sessionId },
    tag: randomUUID(),
    stdin: true,
    onChunk(chunk) {
      const events = stream.push(chunk)
      onEvents(events)
      const asked = live.follow ? events.flatMap(live.follow) : []
      if (asked.length > 0) void write(asked)
    },
  })
  let stopping = false
  let isGone = false

  const write = (lines: readonly unknown[]): Promise<void> =>
    child.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

  /** Writes and waits for the reply. An agent that does not even read has the same time. */
  const ask = (id: string, lines: readonly unknown[], ms = replyMs): Promise<Replied> => {
    const { promise, resolve } = Promise.withResolvers<Replied>()
    const timer = setTimeout(() => resolve({ outcome: 'unanswered' }), ms)
    waiting.set(id, resolve)
    void write(lines)
    return promise.finally(() => {
      clearTimeout(timer)
      waiting.delete(id)
    })
  }

  void child.done.then((exit) => {
    const death = stopping ? undefined : exitError(agent.title, exit, child.stderr(), false)
    if (death) onEvents([death])
    onEvents(stream.end())
    isGone = true
    for (const resolve of waiting.values()) resolve({ outcome: 'gone' })
    options.onExit(exit, death?.message)
  })
  void write(live.opening())

  /** The models that it can use; undefined where it does not say. */
  const models = async (): Promise<string[] | undefined> => {
    if (!live.models || isGone) return undefined
    const id = `${quietMark}${randomUUID()}`
    const replied = await ask(id, live.models.ask(id), Math.min(replyMs, modelsMs))
    return replied.outcome === 'accepted' ? live.models.namesIn(replied.data) : undefined
  }

  /** The command with the whole name of its model; undefined when there is no such model. */
  const withWholeName = async (command: SetModel): Promise<SetModel | undefined> => {
    if (!live.models?.find) return command
    const names = await models()
    if (!names) return command
    const model = live.models.find(command.model, names)
    return model === undefined ? undefined : { ...command, model }
  }

  return {
    pid: child.pid,
    done: child.done,
    models,
    async send(asked: Command): Promise<SendOutcome> {
      const command = asked.type === 'setModel' ? await withWholeName(asked) : asked
      if (isGone) return { outcome: 'gone' }
      if (!command) return { outcome: 'refused', error: `${agent.title} has no such model.` }
      const lines = live.encode(command)
      if (!lines) return { outcome: 'unsupported' }
      if (!isReplied(agent, command))
        return {
          outcome: (await finishesWithin(write(lines), replyMs)) ? 'accepted' : 'unanswered',
        }
      const { data: _, ...outcome } = await ask(command.id, lines)
      return outcome
    },
    /** What the agent itself says of it; `unknown` where it cannot be asked, or does not answer. */
    async activity(): Promise<'working' | 'resting' | 'unknown'> {
      if (!live.state || isGone) return 'unknown'
      const id = randomUUID()
      const replied = await ask(id, live.state.ask(id))
      if (replied.outcome !== 'accepted') return 'unknown'
      return live.state.isWorking(replied.data) ? 'working' : 'resting'
    },
    /** No more input: the agent ends by itself when it is done. */
    finish() {
      stopping = true
      child.closeInput()
    },
    /** At once, with all that it started; nothing is waited for. */
    kill(): void {
      stopping = true
      child.kill()
    },
    stop(how: StopOptions): Promise<void> {
      stopping = true
      return child.stop(how)
    },
  }
}
export type Driver = Awaited<ReturnType<typeof startDriver>>
