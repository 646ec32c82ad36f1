import { interruptedCall } from './interrupted-call.ts'
import { createStreamedMessage, type StreamedMessage } from './streamed-message.ts'
import type {
  AgentEvent,
  ApprovalRequestEvent,
  Block,
  CompactionStartEvent,
  SubagentStartEvent,
  Task,
  ToolCallEvent,
} from './types.ts'

/** Why a run is closed before it ends by itself. */
export type CloseReason = 'aborted' | 'error' | 'interrupted'

export interface CloseOptions {
  reason: CloseReason
  errorMessage?: string | undefined
  /** The current time. Approvals whose deadline has passed count as expired. */
  now?: number
}

/** What a stream of events has left open: the run, its messages, tools and approvals. */
export interface OpenState {
  /** Adds one event. */
  push(event: AgentEvent): void
  /** True while a run is open. */
  isRunning(): boolean
  /** The events that close everything that is open, in a valid order; none if nothing is open. */
  close(options: CloseOptions): AgentEvent[]
}

/** Tracks what is open, so that a run can be closed that was stopped or whose process died. */
export const createOpenState = (): OpenState => {
  const open: OpenItems = {
    isRunning: false,
    isTurnOpen: false,
    compaction: undefined,
    messages: new Map(),
    tools: new Map(),
    subagents: new Map(),
    approvals: new Map(),
    tasks: new Map(),
  }
  const push = (event: AgentEvent) => track(event, open)

  return {
    push,
    isRunning: () => open.isRunning,
    close(options) {
      const { reason, errorMessage } = options
      // From the inside out: what a subagent called, the subagent, its own call.
      const events = [
        ...[...open.approvals.values()].map((request) => closeApproval(request, options)),
        ...[...open.messages.values()].flatMap((message) => message.close(reason)),
        ...toolsOf(open, isNested)
          .reverse()
          .flatMap((tool) => closeTool(tool, reason)),
        ...[...open.subagents.values()].reverse().map(closeSubagent),
        ...toolsOf(open, isOfMainThread).flatMap((tool) => closeTool(tool, reason)),
        ...closeTasks(open),
      ]
      if (open.compaction) events.push(closeCompaction(open.compaction))
      if (open.isTurnOpen) events.push({ type: 'turn_end', stopReason: reason })
      if (open.isRunning) events.push(closeRun(reason, errorMessage))
      for (const event of events) push(event)
      return events
    },
  }
}

interface OpenItems {
  isRunning: boolean
  isTurnOpen: boolean
  compaction: CompactionStartEvent | undefined
  readonly messages: Map<string, StreamedMessage>
  readonly tools: Map<string, OpenTool>
  readonly subagents: Map<string, SubagentStartEvent>
  readonly approvals: Map<string, ApprovalRequestEvent>
  /** The tasks that work, with the last update of each. */
  readonly tasks: Map<string, Task>
}

interface OpenTool {
  call: ToolCallEvent
  stage: 'called' | 'started' | 'ended'
}

const isOfMainThread = ({ call }: OpenTool): boolean => call.parentToolCallId === undefined

const isNested = (tool: OpenTool): boolean => !isOfMainThread(tool)

const toolsOf = ({ tools }: OpenItems, isWanted: (tool: OpenTool) => boolean): OpenTool[] =>
  [...tools.values()].filter(isWanted)

const track = (event: AgentEvent, open: OpenItems): unknown => {
  switch (event.type) {
    case 'agent_start':
    case 'agent_end':
      open.isRunning = event.type === 'agent_start'
      forgetEnded(open)
      return
    case 'turn_start':
    case 'turn_end':
      open.isTurnOpen = event.type === 'turn_start'
      return
    case 'compaction_start':
    case 'compaction_end':
      open.compaction = event.type === 'compaction_start' ? event : undefined
      return
    case 'message_start':
      return open.messages.set(event.messageId, createStreamedMessage(event))
    case 'message_update':
      return open.messages.get(event.messageId)?.update(event.assistantMessageEvent)
    case 'message_end':
      return open.messages.delete(event.messageId)
    case 'tool_call':
      return open.tools.set(event.toolCallId, { call: event, stage: 'called' })
    case 'tool_execution_start':
      return setStage(open, event.toolCallId, 'started')
    case 'tool_execution_end':
      return setStage(open, event.toolCallId, 'ended')
    case 'tool_result':
      return open.tools.delete(event.message.toolCallId)
    case 'subagent_start':
      return open.subagents.set(event.toolCallId, event)
    case 'subagent_end':
      return open.subagents.delete(event.toolCallId)
    case 'session_update':
      return event.task && trackTask(event.task, open)
    case 'approval_request':
      return open.approvals.set(event.approvalId, event)
    case 'approval_resolved':
      return open.approvals.delete(event.approvalId)
  }
}

const setStage = ({ tools }: OpenItems, toolCallId: string, stage: OpenTool['stage']): void => {
  const tool = tools.get(toolCallId)
  if (tool) tool.stage = stage
}

/** Logs of older versions have no result for a call that was cut short. */
const forgetEnded = ({ tools }: OpenItems): void => {
  for (const [id, tool] of tools) if (tool.stage === 'ended') tools.delete(id)
}

const trackTask = (task: Task, { tasks }: OpenItems): unknown =>
  task.state === 'running' ? tasks.set(task.id, task) : tasks.delete(task.id)

/** The tasks end with the agent. */
const closeTasks = ({ tasks }: OpenItems): AgentEvent[] => {
  if (tasks.size === 0) return []
  const stopped = [...tasks.keys()].map((id): AgentEvent => {
    return { type: 'session_update', task: { id, state: 'stopped', status: 'stopped' } }
  })
  return [...stopped, { type: 'session_update', backgroundTasks: [] }]
}

const closeApproval = (
  { approvalId, toolCallId, deadline = Number.POSITIVE_INFINITY }: ApprovalRequestEvent,
  { reason, now = 0 }: CloseOptions,
): AgentEvent => {
  const unanswered = deadline <= now ? 'expired' : 'agent_gone'
  return {
    type: 'approval_resolved',
    approvalId,
    ...(toolCallId !== undefined && { toolCallId }),
    action: 'deny',
    outcome: reason === 'interrupted' ? unanswered : 'cancelled',
  }
}

/** The thread of an event, so that a subagent’s tool is closed on the subagent’s thread. */
const parentOf = ({ parentToolCallId }: AgentEvent) =>
  parentToolCallId === undefined ? {} : { parentToolCallId }

const closeTool = ({ call, stage }: OpenTool, reason: CloseReason): AgentEvent[] => {
  const { toolCallId, toolName, input, blob } = call
  const parent = parentOf(call)
  const end = (reason === 'interrupted' ? interruptedCall : stoppedCall)(toolCallId, toolName)
  const closing = end.map((event) => ({ ...event, ...parent }))
  if (stage === 'ended') return closing.slice(1)
  if (stage === 'started') return closing
  const args = { args: input, ...(blob && { blob }) }
  return [{ type: 'tool_execution_start', toolCallId, toolName, ...args, ...parent }, ...closing]
}

const stoppedCall = (toolCallId: string, toolName: string): AgentEvent[] => {
  const content: Block[] = [{ type: 'text', text: 'Stopped.' }]
  const message = {
    role: 'toolResult',
    toolCallId,
    toolName,
    content,
    isError: true,
    interrupted: true,
  } as const
  const end = { isError: true, result: { content }, interrupted: true } as const
  return [
    { type: 'tool_execution_end', toolCallId, toolName, ...end },
    { type: 'tool_result', message },
  ]
}

const closeSubagent = (start: SubagentStartEvent): AgentEvent => ({
  type: 'subagent_end',
  toolCallId: start.toolCallId,
  ...parentOf(start),
})

const closeCompaction = ({ reason }: CompactionStartEvent): AgentEvent => ({
  type: 'compaction_end',
  ...(reason !== undefined && { reason }),
  aborted: true,
})

const closeRun = (reason: CloseReason, errorMessage: string | undefined): AgentEvent => ({
  type: 'agent_end',
  stopReason: reason,
  ...(errorMessage !== undefined && { errorMessage }),
  ...(reason === 'interrupted' && { interrupted: true }),
})
