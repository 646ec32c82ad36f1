import type { AgentEvent } from '../events/types.ts'

/** The first thing that an agent is heard to say opens its stream; noise before it does not. */
export const opensSession = (event: AgentEvent): boolean =>
  event.type !== 'session_start' && event.type !== 'raw'
