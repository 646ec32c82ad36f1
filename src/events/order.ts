import { isCallOver, isReported, stageAfterResult, type ToolStage } from './tool-stage.ts'
import type {
  AgentEvent,
  EventType,
  MessageEndEvent,
  MessageStartEvent,
  MessageUpdateEvent,
} from './types.ts'

/** One violation of the order that a stream guarantees. */
export interface OrderViolation {
  /** Index of the event, starting at 0. */
  at: number
  type: EventType
  /** The rule that the event breaks. */
  rule: string
}

/** Checks the order of events, one by one. */
export interface OrderChecker {
  /** The rules that an event would break now. */
  check(event: AgentEvent): readonly string[]
  /** Adds an event. Returns its violations. */
  push(event: AgentEvent): OrderViolation[]
  /** Returns the violations that are known only when the stream ends. */
  end(): OrderViolation[]
}

/**
 * Creates a checker of the guaranteed order: `agent_start` first and `agent_end` last; messages
 * start, update and end; tools are called, start, update, end and return a result. Tools run in
 * parallel, and threads (main and subagents) interleave. A subagent in the background, whose call has
 * ended, also works between runs. Queue, compaction, retry and session events can arrive at any point.
 */
export const createOrderChecker = (): OrderChecker => {
  const state: OrderState = {
    hasStarted: false,
    isRunning: false,
    isTurnOpen: false,
    messageIds: new Set(),
    openMessages: new Map(),
    openThreads: new Set(),
    tools: new Map(),
    subagents: new Map(),
    sentMessages: new Set(),
    approvals: new Set(),
  }
  let at = -1

  return {
    check: (event) => brokenRules(event, state),
    push(event) {
      at += 1
      const violations = brokenRules(event, state).map((rule) => ({ at, type: event.type, rule }))
      advance(event, state)
      return violations
    },
    end: () =>
      state.isRunning ? [{ at, type: 'agent_end', rule: 'the stream ended inside a run' }] : [],
  }
}

/** Checks a whole stream. */
export const checkOrder = (events: Iterable<AgentEvent>): OrderViolation[] => {
  const checker = createOrderChecker()
  const violations: OrderViolation[] = []
  for (const event of events) violations.push(...checker.push(event))
  return [...violations, ...checker.end()]
}

interface OrderState {
  /** An event has arrived that is not `raw` or `error`. */
  hasStarted: boolean
  isRunning: boolean
  isTurnOpen: boolean
  /** Ids of all messages so far. */
  readonly messageIds: Set<string>
  readonly openMessages: Map<string, OpenMessage>
  /** Threads that have an open message. */
  readonly openThreads: Set<string>
  readonly tools: Map<string, OpenTool>
  /** The subagents that work, by their call, with the thread that each was started in. */
  readonly subagents: Map<string, string>
  /** Ids of messages that are on their way to the agent. */
  readonly sentMessages: Set<string>
  /** Ids of pending approvals. */
  readonly approvals: Set<string>
}

interface OpenMessage {
  thread: string
  role: string
  lastUpdate: string | undefined
}

interface OpenTool {
  thread: string
  stage: ToolStage
}

const brokenRules = (event: AgentEvent, state: OrderState): readonly string[] => {
  switch (event.type) {
    case 'session_start':
      return unless(!state.hasStarted, 'comes first, once')
    case 'agent_start':
      return unless(!state.isRunning, 'a run is already open')
    case 'agent_end':
      return checkRunEnd(state)
    // The end of a run is its last event.
    case 'turn_state':
      return checkRunning(event, state)
    case 'turn_start':
      return [...checkRunning(event, state), ...unless(!state.isTurnOpen, 'a turn is already open')]
    case 'turn_end':
      return [...checkRunning(event, state), ...unless(state.isTurnOpen, 'no turn is open')]
    case 'message_start':
      return checkMessageStart(event, state)
    case 'message_update':
      return checkMessageUpdate(event, state)
    case 'message_end':
      return checkMessageEnd(event, state)
    case 'message_delivery':
    case 'message_withdrawn':
      return unless(
        state.messageIds.has(event.messageId),
        `message ${event.messageId} does not exist`,
      )
    case 'tool_call':
      return checkStage(event, event.toolCallId, [undefined, 'interrupted', 'reported'], state)
    case 'tool_execution_start':
      return checkStage(event, event.toolCallId, ['called'], state)
    case 'tool_execution_update':
    case 'tool_execution_end':
      return checkStage(event, event.toolCallId, ['started'], state)
    case 'tool_result':
      return checkStage(event, event.message.toolCallId, ['ended', 'interrupted'], state)
    case 'approval_request':
      return unless(
        !state.approvals.has(event.approvalId),
        `approval ${event.approvalId} is already pending`,
      )
    case 'approval_resolved':
      return unless(
        state.approvals.has(event.approvalId) || event.outcome === 'policy',
        `approval ${event.approvalId} is not pending`,
      )
    default:
      return none
  }
}

const none: readonly string[] = []

const unless = (holds: boolean, rule: string): readonly string[] => (holds ? none : [rule])

const checkRunning = (event: AgentEvent, state: OrderState): readonly string[] =>
  unless(
    state.isRunning || isInBackground(threadOf(event), state),
    'must be between agent_start and agent_end',
  )

/** Whether a thread works in the background: the call of its subagent, or of one around it, has ended. */
const isInBackground = (thread: string, state: OrderState): boolean => {
  const outer = state.subagents.get(thread)
  if (outer === undefined) return false
  return isCallOver(state.tools.get(thread)?.stage) || isInBackground(outer, state)
}

const checkRunEnd = (state: OrderState): readonly string[] => [
  ...unless(state.isRunning, 'no run is open'),
  ...unless(
    [...state.openMessages.values()].every(({ thread }) => isInBackground(thread, state)),
    'a message is still open',
  ),
  ...unless(state.sentMessages.size === 0, 'a message is still on its way to the agent'),
  ...unless(!state.isTurnOpen, 'a turn is still open'),
  ...[...state.tools].flatMap(([id, tool]) =>
    unless(
      isReported(tool.stage) || isInBackground(tool.thread, state),
      `tool ${id} is still ${tool.stage}`,
    ),
  ),
]

const checkMessageStart = (event: MessageStartEvent, state: OrderState): readonly string[] => [
  ...(isAllowedBetweenRuns(event.messageRole) ? none : checkRunning(event, state)),
  ...unless(!state.messageIds.has(event.messageId), `message ${event.messageId} already exists`),
  ...unless(!state.openThreads.has(threadOf(event)), 'another message of the thread is still open'),
]

const checkMessageUpdate = (event: MessageUpdateEvent, state: OrderState): readonly string[] => {
  const message = state.openMessages.get(event.messageId)
  if (!message) return [...checkRunning(event, state), `message ${event.messageId} is not open`]
  return [
    ...checkRunning(event, state),
    ...unless(message.role === 'assistant', 'only assistant messages have updates'),
    ...unless(!isFinal(message.lastUpdate), 'no update follows done or error'),
  ]
}

const checkMessageEnd = (event: MessageEndEvent, state: OrderState): readonly string[] => {
  const message = state.openMessages.get(event.messageId)
  return [
    ...(isAllowedBetweenRuns(event.message.role) ? none : checkRunning(event, state)),
    ...unless(message !== undefined, `message ${event.messageId} is not open`),
    ...unless(
      message?.role !== 'assistant' || isFinal(message.lastUpdate),
      'the last update of an assistant message is done or error',
    ),
  ]
}

const checkStage = (
  event: AgentEvent,
  id: string,
  allowed: readonly (ToolStage | undefined)[],
  state: OrderState,
): readonly string[] => {
  const stage = state.tools.get(id)?.stage
  return [
    ...checkRunning(event, state),
    ...unless(allowed.includes(stage), `tool ${id} is ${stage ?? 'not called'}`),
  ]
}

/** An extension can add a note to the conversation between runs. */
const isAllowedBetweenRuns = (role: string) => role === 'custom' || role === 'system'

const threadOf = ({ parentToolCallId = '' }: AgentEvent): string => parentToolCallId

const isFinal = (update: string | undefined) => update === 'done' || update === 'error'

const advance = (event: AgentEvent, state: OrderState): void => {
  state.hasStarted ||= event.type !== 'raw' && event.type !== 'error'
  switch (event.type) {
    case 'agent_start':
    case 'agent_end':
      state.isRunning = event.type === 'agent_start'
      break
    case 'turn_start':
    case 'turn_end':
      state.isTurnOpen = event.type === 'turn_start'
      break
    case 'message_start':
      state.messageIds.add(event.messageId)
      state.openThreads.add(threadOf(event))
      state.openMessages.set(event.messageId, {
        thread: threadOf(event),
        role: event.messageRole,
        lastUpdate: undefined,
      })
      break
    case 'message_update': {
      const message = state.openMessages.get(event.messageId)
      if (message) message.lastUpdate = event.assistantMessageEvent.type
      break
    }
    case 'message_end':
      state.openThreads.delete(threadOf(event))
      state.openMessages.delete(event.messageId)
      if (event.message.delivery === 'sent') state.sentMessages.add(event.messageId)
      break
    case 'message_delivery':
      state.sentMessages.delete(event.messageId)
      break
    case 'tool_call':
      state.tools.set(event.toolCallId, { thread: threadOf(event), stage: 'called' })
      break
    case 'tool_execution_start':
    case 'tool_execution_update':
      setStage(event.toolCallId, 'started', state)
      break
    case 'tool_execution_end':
      setStage(event.toolCallId, 'ended', state)
      break
    case 'tool_result':
      setStage(event.message.toolCallId, stageAfterResult(event), state)
      break
    case 'subagent_start':
      state.subagents.set(event.toolCallId, threadOf(event))
      break
    case 'subagent_end':
      state.subagents.delete(event.toolCallId)
      break
    case 'approval_request':
      state.approvals.add(event.approvalId)
      break
    case 'approval_resolved':
      state.approvals.delete(event.approvalId)
      break
  }
}

const setStage = (toolCallId: string, stage: ToolStage, state: OrderState): void => {
  state.tools.set(toolCallId, { thread: state.tools.get(toolCallId)?.thread ?? '', stage })
}
