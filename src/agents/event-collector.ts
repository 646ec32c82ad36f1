import type { AgentEvent } from '../events/types.ts'

/** Receives the events of a decoder. */
export type Emit = (event: AgentEvent) => void

/** Collects the events of a decoder. */
export interface EventCollector {
  /** Adds an event, with a `session_start` before it if the stream has none yet. */
  emit: Emit
  /** Whether the session has started. */
  hasStarted(): boolean
  /** Returns the events since the last call. */
  take(): AgentEvent[]
}

export const createEventCollector = (agent: string): EventCollector => {
  let events: AgentEvent[] = []
  let hasStarted = false

  return {
    emit(event) {
      if (!hasStarted) {
        if (opensSession(event)) events.push({ type: 'session_start', agent })
        hasStarted = event.type !== 'raw'
      }
      events.push(event)
    },
    hasStarted: () => hasStarted,
    take() {
      const taken = events
      events = []
      return taken
    },
  }
}

/** Whether an event needs a `session_start` before it. A line that cannot be read does not. */
export const opensSession = (event: AgentEvent): boolean =>
  event.type !== 'session_start' && event.type !== 'raw'

/** Adds the call of a subagent, or of a nested tool, to the events that happen inside it. */
export const inside = (emit: Emit, parentToolCallId: string | undefined): Emit =>
  parentToolCallId === undefined ? emit : (event) => emit({ ...event, parentToolCallId })
