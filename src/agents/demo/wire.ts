import type { AgentEvent, EventType } from '../../events/types.ts'
import { defined, flagOf, isFields, numberOf, stringOf } from '../../shared/fields.ts'
import type { CommandReply } from '../live.ts'

/** The types of events that the demo prints. The others are for sessions and for subagents. */
export type DemoEventType = Exclude<
  EventType,
  | 'turn_state'
  | 'usage_update'
  | 'budget_update'
  | 'message_delivery'
  | 'subagent_start'
  | 'subagent_end'
  | 'raw'
>
export type DemoEvent = Extract<AgentEvent, { type: DemoEventType }>

type Check = (value: unknown) => boolean

const isText: Check = (value) => stringOf(value) !== undefined
const isNumber: Check = (value) => numberOf(value) !== undefined
const isFlag: Check = (value) => flagOf(value) !== undefined
const isTagged: Check = (value) => isFields(value) && isText(value.type)
const isMessage: Check = (value) =>
  isFields(value) && isText(value.role) && Array.isArray(value.content)
const isToolResult: Check = (value) =>
  isMessage(value) && isFields(value) && isText(value.toolCallId) && isText(value.toolName)
const isQueued: Check = (value) =>
  isFields(value) && Array.isArray(value.steering) && Array.isArray(value.followUp)

const call = { toolCallId: isText, toolName: isText }

/** The fields of each event that readers rely on. */
const shapes: Record<DemoEventType, Readonly<Record<string, Check>>> = {
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
  tool_result: { message: isToolResult },
  approval_request: { approvalId: isText, kind: isText },
  approval_resolved: { approvalId: isText, action: isText, outcome: isText },
  queue_update: { queued: isQueued },
  compaction_start: {},
  compaction_end: {},
  auto_retry_start: { attempt: isNumber, delayMs: isNumber, reason: isText },
  auto_retry_end: {},
}

const isDemoEventType = (type: string): type is DemoEventType => Object.hasOwn(shapes, type)

/** Whether a line is an event of the demo, with all the fields that readers rely on. */
export const isDemoEvent = (line: unknown): line is DemoEvent => {
  if (!isFields(line) || typeof line.type !== 'string' || !isDemoEventType(line.type)) return false
  return Object.entries(shapes[line.type]).every(([field, isValid]) => isValid(line[field]))
}

/** The reply to a command in a line; undefined if the line is not a reply. */
export const replyOf = (line: unknown): CommandReply | undefined => {
  if (!isFields(line) || line.type !== 'reply') return undefined
  const id = stringOf(line.id)
  const ok = flagOf(line.ok)
  if (id === undefined || ok === undefined) return undefined
  return { id, ok, ...defined({ error: stringOf(line.error), data: line.data }) }
}
