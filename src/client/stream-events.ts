import type { OverviewEvent } from '../api/types.ts'
import type { ConnectionEvent, EventType, Snapshot, StampedEvent } from '../events/types.ts'
import { type Fields, isFields } from '../shared/fields.ts'

type ConnectionNotice = Exclude<ConnectionEvent, { type: 'snapshot' }>

/** An event about one session. */
export type SessionEvent = StampedEvent | Snapshot

/** An event of the stream of one session. */
export type StreamEvent = SessionEvent | ConnectionNotice

/** An event of the stream of several sessions. */
export type ManyEvent = StreamEvent | OverviewEvent

/** The stored types that this client recognises. Others come from a newer server and are skipped. */
export const stampedTypes = {
  session_start: true,
  session_update: true,
  usage_update: true,
  budget_update: true,
  error: true,
  raw: true,
  agent_start: true,
  agent_end: true,
  turn_start: true,
  turn_end: true,
  turn_state: true,
  message_start: true,
  message_update: true,
  message_end: true,
  message_delivery: true,
  message_withdrawn: true,
  subagent_start: true,
  subagent_end: true,
  tool_call: true,
  tool_execution_start: true,
  tool_execution_update: true,
  tool_execution_end: true,
  tool_result: true,
  approval_request: true,
  approval_resolved: true,
  queue_update: true,
  compaction_start: true,
  compaction_end: true,
  auto_retry_start: true,
  auto_retry_end: true,
} as const satisfies Record<EventType, true>

/**
 * The event that a frame of one session’s stream holds; undefined when this client does not
 * recognise it. Type and envelope decide: a field that a newer server adds must not cost the event.
 */
export const parseStreamEvent = (data: string): StreamEvent | undefined => {
  const value = parseJson(data)
  return isStreamEvent(value) ? value : undefined
}

/** The event that a frame of several sessions’ stream holds. */
export const parseManyEvent = (data: string): ManyEvent | undefined => {
  const value = parseJson(data)
  return isStreamEvent(value) || isOverviewEvent(value) ? value : undefined
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether an event is about one session. */
export const isSessionEvent = (event: ManyEvent): event is SessionEvent => 'seq' in event

const isStreamEvent = (value: unknown): value is StreamEvent =>
  isStampedEvent(value) || isSnapshot(value) || isConnectionNotice(value)

/** Whether it is a stored event of a type that this client recognises. */
export const isStampedEvent = (value: unknown): value is StampedEvent =>
  hasEnvelope(value) && typeof value.type === 'string' && Object.hasOwn(stampedTypes, value.type)

const isSnapshot = (value: unknown): value is Snapshot =>
  hasEnvelope(value) && value.type === 'snapshot' && Array.isArray(value.messages)

const hasEnvelope = (value: unknown): value is Fields =>
  isFields(value) && typeof value.sessionId === 'string' && Number.isSafeInteger(value.seq)

const noticeTypes = new Set<unknown>([
  'resume',
  'slow_consumer',
  'degraded',
  'recovered',
  'session_damaged',
] satisfies ConnectionNotice['type'][])

const isConnectionNotice = (value: unknown): value is ConnectionNotice =>
  isFields(value) && noticeTypes.has(value.type)

const isOverviewEvent = (value: unknown): value is OverviewEvent => {
  if (!isFields(value)) return false
  switch (value.type) {
    case 'overview':
      return (
        Array.isArray(value.sessions) && Array.isArray(value.approvals) && isFields(value.totals)
      )
    case 'session_created':
    case 'session_updated':
      return isFields(value.session) && typeof value.session.id === 'string'
    case 'session_removed':
      return typeof value.sessionId === 'string'
    case 'loop_updated':
      return isFields(value.loop) && typeof value.loop.id === 'string'
    case 'totals':
      return isFields(value.totals)
    default:
      return false
  }
}
