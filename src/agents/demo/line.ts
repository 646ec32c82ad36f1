import type { AgentEvent, EventType } from '../../events/types.ts'
import { defined, flagOf, isFields, numberOf, stringOf } from '../../shared/fields.ts'
import type { CommandReply } from '../live.ts'

type Check = (value: unknown) => boolean

const isText: Check = (value) => stringOf(value) !== undefined
const isNumber: Check = (value) => numberOf(value) !== undefined
const isFlag: Check = (value) => flagOf(value) !== undefined
const isTagged: Check = (value) => isFields(value) && isText(value.type)
const isMessage: Check = (value) =>
  isFields(value) && isText(value.role) && Array.isArray(value.content)
const isResult: Check = (value) =>
  isMessage(value) && isFields(value) && isText(value.toolCallId) && isText(value.toolName)
const isQueued: Check = (value) =>
  isFields(value) && Array.isArray(value.steering) && Array.isArray(value.followUp)

const call = { toolCallId: isText, toolName: isText }

/** What the demo tells: the rest of the events is for sessions and for agents with subagents. */
export type ToldType = Exclude<
  EventType,
  'turn_state' | 'usage_update' | 'subagent_start' | 'subagent_end' | 'raw'
>
export type Told = Extract<AgentEvent, { type: ToldType }>

/** Each event with the fields that a reader relies on. */
const shapes: Record<ToldType, Readonly<Record<string, Check>>> = {
  session_start: { agent: isText },
  session_update: {},
  error: { code: isText, message: isText, fatal: isFlag },
  agent_start: {},
  agent_end: {},
  turn_start: {},
  turn_end: {},
  message_start: { messageId: isText, messageRole: isText },
  message_update: { messageId: isText, assistantMessageEvent: isTagged },
  message_end: { messageId: isText, message: isMessage },
  message_withdrawn: { messageId: isText, reason: isText },
  tool_call: call,
  tool_execution_start: call,
  tool_execution_update: { ...call, outputDelta: isText },
  tool_execution_end: call,
  tool_result: { message: isResult },
  approval_request: { approvalId: isText, kind: isText },
  approval_resolved: { approvalId: isText, action: isText, outcome: isText },
  queue_update: { queued: isQueued },
  compaction_start: {},
  compaction_end: {},
  auto_retry_start: { attempt: isNumber, delayMs: isNumber, reason: isText },
  auto_retry_end: {},
}

const isToldType = (type: string): type is ToldType => Object.hasOwn(shapes, type)

/** True for a line that is an event of the demo, with all that readers need of it. */
export const isTold = (line: unknown): line is Told => {
  if (!isFields(line) || typeof line.type !== 'string' || !isToldType(line.type)) return false
  return Object.entries(shapes[line.type]).every(([field, holds]) => holds(line[field]))
}

/** The reply that a line carries, if it is one. */
export const replyOf = (line: unknown): CommandReply | undefined => {
  if (!isFields(line) || line.type !== 'reply') return undefined
  const id = stringOf(line.id)
  const ok = flagOf(line.ok)
  if (id === undefined || ok === undefined) return undefined
  return { id, ok, ...defined({ error: stringOf(line.error), data: line.data }) }
}
