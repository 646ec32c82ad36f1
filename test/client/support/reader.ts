import type {
  ApiError,
  SessionStreamOptions,
  StreamEvent,
  StreamState,
} from '../../../src/client/index.ts'
import { createClient } from '../../../src/client/index.ts'
import { createClock } from './clock.ts'
import type { TestServer } from './server.ts'
import { until } from './until.ts'

/** A client with a clock of its own that reads the session `s`. */
export const openReader = (server: Pick<TestServer, 'url'>, options: SessionStreamOptions = {}) => {
  const clock = createClock()
  const client = createClient({ url: server.url, token: 'secret', ...clock.platform })
  const closing = new AbortController()
  const events: StreamEvent[] = []
  const states: StreamState[] = []
  const read = async (): Promise<unknown> => {
    const asked = { signal: closing.signal, onState: (state: StreamState) => states.push(state) }
    try {
      for await (const event of client.sessions.stream('s', { ...asked, ...options }))
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
    /** Settles when the stream is over, with what it threw. */
    done,
    /** What was seen, in a word each: its seq, or its type. */
    seen: () =>
      events.map((event) =>
        event.type === 'snapshot' || !('seq' in event) ? event.type : event.seq,
      ),
    /** Waits for a state. */
    async status(status: StreamState['status']): Promise<StreamState> {
      await until(() => states.at(-1)?.status === status)
      return states.at(-1) ?? { status: 'stopped' }
    },
    /** Waits until the client waits; says for how long and why. */
    async waiting(): Promise<{ delayMs: number; attempt: number; error: ApiError }> {
      await until(() => states.at(-1)?.status === 'waiting')
      const state = states.at(-1)
      if (state?.status === 'waiting') return state
      throw new Error('it does not wait')
    },
    async [Symbol.asyncDispose](): Promise<void> {
      closing.abort()
      await done
    },
  }
}
