import { z } from 'zod'
import { envelope } from '../../events/envelope.ts'
import { sessionEvents, sessionState } from '../../events/session-events.ts'
import type { StampedEvent } from '../../events/types.ts'
import { event, subjectsOf } from './define.ts'

const [, sessionUpdate] = sessionEvents
const { sessionId, timestamp } = envelope.shape

/** What can be said of a session as a whole. */
const about = sessionUpdate.pick({
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

const state = sessionState.optional()

/** What every event has, whatever its type. */
export const stampedShape = z.looseObject({
  type: z.string().describe('Which event it is.'),
  ...envelope.shape,
})

/**
 * An event as the log keeps it. Only what all events have is checked: events of a later version
 * must not be turned away. By hand, because every event comes by here: the verdict is the one of
 * `stampedShape`.
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

/** The namespace of what happens to sessions. */
export const SessionNamespace = 'session'
/** Every subject about sessions with its schemas. */
export const sessionSchemas = {
  created: event(
    'There is a new session.',
    z.object({
      sessionId,
      timestamp,
      agent: z.string().describe('Which agent: pi, claude, demo.'),
      projectId: z.string().optional().describe('The project that the session belongs to.'),
      state,
      ...about,
    }),
  ),
  ended: event(
    'No agent works for the session any more. A new prompt may start it again, unless it was removed.',
    z.object({
      sessionId,
      timestamp,
      reason: z
        .enum(['stopped', 'idle', 'agent_gone', 'removed'])
        .describe(
          'Somebody stopped it, it had nothing to do, its process ended by itself, or the session was deleted.',
        ),
      errorMessage: z.string().optional().describe('How it failed, for people.'),
    }),
  ),
  event: event(
    'An event of any session, once it is stored: the very object that the log keeps. Its further fields depend on its type.',
    stampedEvent,
  ),
  updated: event(
    'Something about a session changed; only what changed is there. From the events `session_start` and `session_update`, and its state from `agent_start` and `agent_end`.',
    z.object({
      sessionId,
      timestamp,
      agent: z.string().optional().describe('Which agent: pi, claude, demo.'),
      state,
      ...about,
    }),
  ),
}
/** The whole names of the subjects about sessions. */
export const SessionSubjects = subjectsOf(SessionNamespace, sessionSchemas)
