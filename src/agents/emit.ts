import type { AgentEvent } from '../events/types.ts'
import { createTodoTracker } from './tool-calls/todo-list.ts'

/** Receives the events of a decoder. */
export type Emit = (event: AgentEvent) => void

/** The events that a decoder has emitted and not yet returned. */
export interface EventQueue {
  /**
   * Adds an event, after a `session_start` when the agent has sent none. The result of a tool that
   * changes the to-do list is followed by the new list.
   */
  readonly emit: Emit
  /** Returns the events added since the last call. */
  take(): AgentEvent[]
  /** Whether the stream has begun. Lines that cannot be read do not begin it. */
  hasStarted(): boolean
}

export const createEventQueue = (agent: string): EventQueue => {
  let events: AgentEvent[] = []
  let hasStarted = false
  const tracker = createTodoTracker()
  return {
    emit(event) {
      if (!hasStarted) {
        if (needsSessionStart(event)) events.push({ type: 'session_start', agent })
        hasStarted = event.type !== 'raw'
      }
      events.push(event)
      const todos = tracker.after(event)
      if (todos) events.push({ type: 'session_update', todos })
    },
    take() {
      const taken = events
      events = []
      return taken
    },
    hasStarted: () => hasStarted,
  }
}

const needsSessionStart = ({ type }: AgentEvent): boolean =>
  type !== 'session_start' && type !== 'raw'

/** Adds the call of a subagent, or of a nested tool, to the events that happen inside it. */
export const inside = (emit: Emit, parentToolCallId: string | undefined): Emit =>
  parentToolCallId === undefined ? emit : (event) => emit({ ...event, parentToolCallId })
