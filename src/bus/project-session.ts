import type { StampedEvent } from '../events/types.ts'
import { ApprovalSubjects } from './subjects/approval.ts'
import { SessionSubjects, sessionSchemas } from './subjects/session.ts'
import type { BusMessage } from './subjects/table.ts'

/** What a session tells of an event, whatever its agent: the event, and what it means. */
export const projectSession = (event: StampedEvent): BusMessage[] => {
  const messages = meaningOf(event)
  messages.unshift({ subject: SessionSubjects.event, payload: event })
  return messages
}

const meaningOf = (event: StampedEvent): BusMessage[] => {
  switch (event.type) {
    case 'approval_request':
      return [{ subject: ApprovalSubjects.requested, payload: event }]
    case 'approval_resolved':
      return [{ subject: ApprovalSubjects.resolved, payload: event }]
    case 'agent_start':
      return [stateOf(event, 'running')]
    case 'agent_end':
      return [stateOf(event, 'idle')]
    case 'session_start':
    case 'session_update':
      return updateOf(event)
    default:
      return []
  }
}

/** A run begins and ends the work of a session. */
const stateOf = (
  { sessionId, timestamp }: StampedEvent,
  state: 'running' | 'idle',
): BusMessage => ({ subject: SessionSubjects.updated, payload: { sessionId, timestamp, state } })

/** Notices, hooks and tasks change nothing about a session as a whole; nor does a subagent. */
const updateOf = (event: StampedEvent): BusMessage[] => {
  if (event.parentToolCallId !== undefined) return []
  const payload = sessionSchemas.updated.payload.parse(event)
  const { sessionId, timestamp, ...changes } = payload
  return Object.keys(changes).length === 0 ? [] : [{ subject: SessionSubjects.updated, payload }]
}
