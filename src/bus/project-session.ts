import type { StampedEvent } from '../events/types.ts'
import { ApprovalSubjects } from './subjects/approval.ts'
import { SessionSubjects, sessionSchemas } from './subjects/session.ts'
import type { BusMessage } from './subjects/table.ts'

/** The messages of an event that do not depend on its agent: the event itself, then what it means. */
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
      return [stateMessage(event, 'running')]
    case 'agent_end':
      return [stateMessage(event, 'idle')]
    case 'session_start':
    case 'session_update':
      return updateMessages(event)
    default:
      return []
  }
}

const stateMessage = (
  { sessionId, timestamp }: StampedEvent,
  state: 'running' | 'idle',
): BusMessage => ({ subject: SessionSubjects.updated, payload: { sessionId, timestamp, state } })

/** Nothing for a subagent, and nothing for notices, hooks and tasks: the session is the same. */
const updateMessages = (event: StampedEvent): BusMessage[] => {
  if (event.parentToolCallId !== undefined) return []
  const payload = sessionSchemas.updated.payload.parse(event)
  const { sessionId, timestamp, ...changes } = payload
  return Object.keys(changes).length === 0 ? [] : [{ subject: SessionSubjects.updated, payload }]
}
