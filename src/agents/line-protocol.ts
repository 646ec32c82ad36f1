import type { AgentEvent } from '../events/types.ts'
import type { StreamFormat } from './agent.ts'
import type {
  Command,
  Connection,
  ConnectOptions,
  ContextShare,
  ForkPoint,
  LiveOptions,
  RestoredFiles,
  SendKind,
  Withdrawal,
} from './live.ts'

/**
 * The protocol of an agent that takes each command as lines of its own, at any time: no handshake,
 * and nothing to remember between two commands.
 */
export interface LineProtocol extends StreamFormat {
  /** Lines to write as soon as the agent runs. */
  opening?(options: LiveOptions): readonly unknown[]
  /** The lines of a command; undefined if the agent does not support it. */
  encode(command: Command, options?: LiveOptions): readonly unknown[] | undefined
  /** Whether the agent replies to a command. */
  repliesTo(type: Command['type']): boolean
  /** Lines to write after an event, to request what the event does not say. */
  follow?(event: AgentEvent): readonly unknown[]
  readonly state?: {
    request: RequestLines
    isWorking(response: unknown): boolean
  }
  readonly models?: {
    request: RequestLines
    namesIn(response: unknown): string[]
    find?(name: string, names: readonly string[]): string | undefined
  }
  readonly withdrawal?: {
    request(id: string, messageId: string): readonly unknown[]
    resultOf(response: unknown, text: string): Withdrawal
  }
  readonly context?: {
    request: RequestLines
    partsIn(response: unknown): ContextShare[]
  }
  readonly forkPoints?: {
    request: RequestLines
    pointsIn(response: unknown): ForkPoint[]
  }
  readonly rewind?: {
    request(id: string, messageId: string, dryRun: boolean): readonly unknown[]
    resultOf(response: unknown): RestoredFiles
  }
}

type RequestLines = (id: string) => readonly unknown[]

/** Connects to a process that speaks a protocol of lines. */
export const connectLines = (protocol: LineProtocol, options: ConnectOptions): Connection => {
  const { write } = options
  const { state, models, withdrawal, context, forkPoints, rewind, follow } = protocol
  const shortcut = protocol.createShortcut?.()
  const writing = (request: RequestLines) => (id: string) => write(request(id))

  const send = (command: Command): SendKind => {
    const lines = protocol.encode(command, options)
    if (!lines) return 'unsupported'
    write(lines)
    return protocol.repliesTo(command.type) ? 'replies' : 'written'
  }

  return {
    decoder: protocol.createDecoder(options),
    ...(shortcut && { shortcut }),
    open() {
      const lines = protocol.opening?.(options) ?? []
      if (lines.length > 0) write(lines)
    },
    send,
    ...(follow && {
      follow(event: AgentEvent) {
        const lines = follow(event)
        if (lines.length > 0) write(lines)
      },
    }),
    ...(state && { state: { ...state, request: writing(state.request) } }),
    ...(models && { models: { ...models, request: writing(models.request) } }),
    ...(context && { context: { ...context, request: writing(context.request) } }),
    ...(forkPoints && {
      forkPoints: { ...forkPoints, request: writing(forkPoints.request) },
    }),
    ...(rewind && {
      rewind: {
        ...rewind,
        request: (...wanted: Parameters<typeof rewind.request>) => write(rewind.request(...wanted)),
      },
    }),
    ...(withdrawal && {
      withdrawal: {
        ...withdrawal,
        request: (id: string, messageId: string) => write(withdrawal.request(id, messageId)),
      },
    }),
  }
}
