import type { Agent } from '../agents/agent.ts'
import type { Command, LiveOptions, Reply } from '../agents/live.ts'
import { createStream } from '../agents/stream.ts'
import type { AgentEvent } from '../events/event.ts'
import { deathOf } from './death.ts'
import { nodeText } from './node-text.ts'
import { type Exit, type StopOptions, startProcess } from './process.ts'

export interface DriverOptions extends LiveOptions {
  agent: Agent
  program: string
  cwd: string
  env?: NodeJS.ProcessEnv
  /** Put before the message ids that the decoder makes. */
  scope: string
  onEvents(events: readonly AgentEvent[]): void
  /** The process is gone; what it left open has been settled by the events before. */
  onExit(exit: Exit, errorMessage: string | undefined): void
  /** How long a reply may take. */
  replyMs?: number
}

/** What became of a command. */
export type Outcome = { outcome: 'accepted' | 'unanswered' | 'gone' | 'unsupported' } | Refused
interface Refused {
  outcome: 'refused'
  error: string
}

/** Commands whose reply must be waited for; the rest are taken when they are written. */
const isReplied = (agent: Agent, command: Command): boolean =>
  command.type !== 'answer' &&
  (agent.live?.queue === 'agent' || command.type === 'abort' || command.type.startsWith('set'))

/** A live agent process: commands in, events out. */
export const startDriver = async (options: DriverOptions) => {
  const { agent, onEvents, replyMs = 30_000 } = options
  const { live } = agent
  if (!live) throw new Error(`${agent.name} cannot be driven`)
  const waiting = new Map<string, (outcome: Outcome) => void>()

  const onReply = ({ id, ok, error = 'refused' }: Reply) =>
    waiting.get(id)?.(ok ? { outcome: 'accepted' } : { outcome: 'refused', error })

  const stream = createStream(agent, { reader: nodeText, scope: options.scope, onReply })
  const child = await startProcess({
    program: options.program,
    args: live.args(options),
    cwd: options.cwd,
    ...(options.env && { env: options.env }),
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

  const replyTo = (id: string): Promise<Outcome> => {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const timer = setTimeout(() => resolve({ outcome: 'unanswered' }), replyMs)
    waiting.set(id, resolve)
    return promise.finally(() => {
      clearTimeout(timer)
      waiting.delete(id)
    })
  }

  void child.done.then((exit) => {
    const death = stopping ? undefined : deathOf(agent.title, exit, child.stderr(), false)
    if (death) onEvents([death])
    onEvents(stream.end())
    isGone = true
    for (const resolve of waiting.values()) resolve({ outcome: 'gone' })
    options.onExit(exit, death?.message)
  })
  await write(live.opening())

  return {
    pid: child.pid,
    done: child.done,
    async send(command: Command): Promise<Outcome> {
      if (isGone) return { outcome: 'gone' }
      const lines = live.encode(command)
      if (!lines) return { outcome: 'unsupported' }
      if (!isReplied(agent, command)) {
        await write(lines)
        return { outcome: 'accepted' }
      }
      const reply = replyTo(command.id)
      await write(lines)
      return reply
    },
    /** No more input: the agent ends by itself when it is done. */
    finish() {
      stopping = true
      child.closeInput()
    },
    stop(how: StopOptions): Promise<void> {
      stopping = true
      return child.stop(how)
    },
  }
}
export type Driver = Awaited<ReturnType<typeof startDriver>>
