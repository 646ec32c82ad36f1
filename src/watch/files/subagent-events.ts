import type { AgentEvent } from '../../events/types.ts'

/** What a session of its own has, and a subagent has not. */
const ofSessions: ReadonlySet<AgentEvent['type']> = new Set([
  'session_start',
  'session_update',
  'agent_start',
  'agent_end',
  'turn_start',
  'turn_end',
])

/** The events of a subagent’s own file, as a part of the session that started it. */
export const ofSubagent = (events: readonly AgentEvent[], parentToolCallId: string): AgentEvent[] =>
  events
    .filter(({ type }) => !ofSessions.has(type))
    .map((event) => ({ ...event, parentToolCallId: event.parentToolCallId ?? parentToolCallId }))
