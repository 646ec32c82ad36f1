import type { Connection } from '../../agents/live.ts'
import type { AgentEvent, EventType } from '../../events/types.ts'

/** Requests of an agent what its events do not say. */
export interface EventFollower {
  /** Adds what the agent printed. */
  push(events: readonly AgentEvent[]): void
  /** The process has ended. */
  close(): void
}

/** How long to wait before each request. The agent may still be about to end its run, or to retry. */
const waitsMs = [50, 200, 1000, 5000, 20_000]

/** What shows that the agent works on after a failed turn, or that it does not. */
const signs: ReadonlySet<EventType> = new Set<EventType>([
  'turn_start',
  'auto_retry_start',
  'compaction_start',
  'agent_end',
])

/**
 * Requests what an agent’s events call for. Older agents do not say whether another attempt
 * follows a failed turn: their state is requested some times, until something shows it. The decoder
 * reads the reply, and ends the run if the agent is idle.
 */
export const createEventFollower = ({
  follow,
  state,
}: Pick<Connection, 'follow' | 'state'>): EventFollower => {
  let timer: NodeJS.Timeout | undefined

  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const requestState = (attempt: number) => {
    const wait = waitsMs[attempt]
    if (wait === undefined || !state) return
    timer = setTimeout(() => {
      state.request('failed-turn')
      requestState(attempt + 1)
    }, wait)
    timer.unref()
  }
  const watch = (event: AgentEvent) => {
    const isFailure = event.type === 'turn_end' && event.stopReason === 'error'
    if (isFailure || (timer !== undefined && signs.has(event.type))) stop()
    if (isFailure) requestState(0)
  }

  return {
    push(events) {
      if (state) events.forEach(watch)
      if (follow) events.forEach(follow)
    },
    close: stop,
  }
}
