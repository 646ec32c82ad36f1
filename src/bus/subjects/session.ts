import { z } from 'zod'
import { agentNames } from '../../agents/known-agents.ts'
import { envelope } from '../../events/envelope.ts'
import { sessionEvents, sessionState } from '../../events/session-events.ts'
import type { StampedEvent } from '../../events/types.ts'
import { event, subjectsOf } from './define.ts'

const [, sessionUpdate] = sessionEvents
const { sessionId, timestamp } = envelope.shape

/** The fields of a session as a whole. */
const sessionFields = sessionUpdate.pick({
  agentVersion: true,
  nativeId: true,
  model: true,
  cwd: true,
  contextWindow: true,
  permissionMode: true,
  name: true,
  thinkingLevel: true,
  status: true,
}).shape

const agent = z.string().describe(`Name of the agent: ${agentNames.join(', ')}.`)
const state = sessionState.optional()

/** The fields that every stored event has. */
export const stampedShape = z.looseObject({
  type: z.string().describe('Type of the event.'),
  ...envelope.shape,
})

/**
 * A stored event. Only the fields of `stampedShape` are checked, so that events of a later version
 * pass. The check is written by hand because every event goes through it.
 */
export const stampedEvent = z.custom<StampedEvent>(
  isStamped,
  'Invalid input: expected an event with type, sessionId, seq and timestamp',
)

function isStamped(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  if (!('type' in value && 'sessionId' in value && 'seq' in value && 'timestamp' in value))
    return false
  const { type, sessionId, seq, timestamp } = value
  return (
    typeof type === 'string' &&
    typeof sessionId === 'string' &&
    Number.isSafeInteger(timestamp) &&
    typeof seq === 'number' &&
    Number.isSafeInteger(seq) &&
    seq > 0
  )
}

/** The namespace of sessions. */
export const SessionNamespace = 'session'
/** The subjects of sessions with their schemas. */
export const sessionSchemas = {
  created: event(
    'A session was created.',
    z.object({
      sessionId,
      timestamp,
      agent,
      projectId: z.string().optional().describe('Id of the project of the session.'),
      state,
      ...sessionFields,
    }),
  ),
  ended: event(
    'The agent of a session ended. A new prompt starts it again, unless the session was deleted.',
    z.object({
      sessionId,
      timestamp,
      reason: z
        .enum(['stopped', 'idle', 'agent_gone', 'removed'])
        .describe(
          'Why it ended. `stopped`: someone stopped it. `idle`: it had nothing to do. `agent_gone`: its process exited. `removed`: the session was deleted.',
        ),
      errorMessage: z
        .string()
        .optional()
        .describe('Error message for people. Only if the agent failed.'),
    }),
  ),
  event: event(
    'An event of any session, after it is stored. The payload is the stored event; its other fields depend on its type.',
    stampedEvent,
  ),
  updated: event(
    'A session changed. Only the changed fields are present. Projected from the events `session_start` and `session_update`; the state from `agent_start` and `agent_end`.',
    z.object({ sessionId, timestamp, agent: agent.optional(), state, ...sessionFields }),
  ),
}
/** The full names of the subjects of sessions. */
export const SessionSubjects = subjectsOf(SessionNamespace, sessionSchemas)
