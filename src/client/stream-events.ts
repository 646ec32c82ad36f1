import { overviewEvent } from '../api/overview.ts'
import type { OverviewEvent } from '../api/types.ts'
import type { ConnectionEvent, EventType, Snapshot, StampedEvent } from '../events/types.ts'

/** What the stream of one session carries. */
export type StreamEvent = StampedEvent | Snapshot | Exclude<ConnectionEvent, { type: 'snapshot' }>

/** What the stream of many carries. */
export type ManyEvent = StreamEvent | OverviewEvent

/** The types that are known here: others come from a newer server, and are passed over. */
const stampedTypes = {
  session_start: true,
  session_update: true,
  usage_update: true,
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

/** The object that a frame holds; undefined where it holds none. */
export const parseObject = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * What it says of a session; undefined where that is nothing known here. Events are known by their
 * type and envelope: a field that a newer server adds must not cost the event.
 */
export const asStreamEvent = (value: object): StreamEvent | undefined =>
  isStampedEvent(value) || isSnapshot(value) || isAboutConnection(value) ? value : undefined

/** What it says of all sessions. */
export const asManyEvent = (value: object): ManyEvent | undefined =>
  asStreamEvent(value) ?? overviewEvent.safeParse(value).data

/** Whether it is an event of a session. */
export const isStampedEvent = (value: object): value is StampedEvent =>
  'type' in value &&
  typeof value.type === 'string' &&
  Object.hasOwn(stampedTypes, value.type) &&
  'sessionId' in value &&
  typeof value.sessionId === 'string' &&
  'seq' in value &&
  Number.isSafeInteger(value.seq)

const isSnapshot = (value: object): value is Snapshot =>
  'type' in value &&
  value.type === 'snapshot' &&
  'sessionId' in value &&
  typeof value.sessionId === 'string' &&
  'seq' in value &&
  Number.isSafeInteger(value.seq) &&
  'messages' in value &&
  Array.isArray(value.messages)

type AboutConnection = Exclude<ConnectionEvent, { type: 'snapshot' }>

const isAboutConnection = (value: object): value is AboutConnection =>
  'type' in value &&
  (value.type === 'resume' || value.type === 'slow_consumer' || value.type === 'degraded')
