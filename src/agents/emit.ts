import type { AgentEvent } from '../events/types.ts'

/** Where a decoder puts its events. */
export type Emit = (event: AgentEvent) => void

/** Events of a subagent, or of a nested call, say whose they are. */
export const inside = (emit: Emit, parentToolCallId: string | undefined): Emit =>
  parentToolCallId === undefined ? emit : (event) => emit({ ...event, parentToolCallId })
