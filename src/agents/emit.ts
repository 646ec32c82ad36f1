import type { AgentEvent } from '../events/types.ts'

/** Receives the events of a decoder. */
export type Emit = (event: AgentEvent) => void

/** Whether an event needs a `session_start` before it. A line that cannot be read does not. */
export const opensSession = (event: AgentEvent): boolean =>
  event.type !== 'session_start' && event.type !== 'raw'

/** Adds the call of a subagent, or of a nested tool, to the events that happen inside it. */
export const inside = (emit: Emit, parentToolCallId: string | undefined): Emit =>
  parentToolCallId === undefined ? emit : (event) => emit({ ...event, parentToolCallId })
