import type {
  ApiError,
  Client,
  SessionStreamOptions,
  StreamEvent,
  StreamState,
} from '../../../src/client/index.ts'
import { createClient } from '../../../src/client/index.ts'
import { type Clock, createClock } from './clock.ts'
import type { ScriptedServer } from './scripted-server.ts'
import { until } from './until.ts'

/** A client that reads the stream of the session `s`. */
export interface Reader {
  clock: Clock
  client: Client
  events: StreamEvent[]
  states: StreamState[]
  /** Resolves when the stream has ended, with what it threw. */
  done: Promise<unknown>
  /** Each event in short: its seq, or its type when it has none or is a snapshot. */
  seen(): (number | string)[]
  /** Waits until the stream has this status. */
  status(status: StreamState['status']): Promise<StreamState>
  /** Waits until the client waits for its next try; returns how long and why. */
  waiting(): Promise<{ delayMs: number; attempt: number; error: ApiError }>
  [Symbol.asyncDispose](): Promise<void>
}

export const openReader = (
  server: Pick<ScriptedServer, 'url'>,
  options: SessionStreamOptions = {},
): Reader => {
  const clock = createClock()
  const client = createClient({ url: server.url, token: 'secret', ...clock.platform })
  const closing = new AbortController()
  const events: StreamEvent[] = []
  const states: StreamState[] = []
  const read = async (): Promise<unknown> => {
    const own = { signal: closing.signal, onState: (state: StreamState) => states.push(state) }
    try {
      for await (const event of client.sessions.stream('s', { ...own, ...options }))
        events.push(event)
      return undefined
    } catch (cause) {
      return cause
    }
  }
  const done = read()
  return {
    clock,
    client,
    events,
    states,
    done,
    seen: () =>
      events.map((event) =>
        event.type === 'snapshot' || !('seq' in event) ? event.type : event.seq,
      ),
    async status(status) {
      await until(() => states.at(-1)?.status === status)
      return states.at(-1) ?? { status: 'stopped' }
    },
    async waiting() {
      await until(() => states.at(-1)?.status === 'waiting')
      const state = states.at(-1)
      if (state?.status === 'waiting') return state
      throw new Error('The client does not wait')
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      await done
    },
  }
}
