import { hasShellEnded } from './has-shell-ended.ts'
import { interruptCall, missingResult } from './missing-result.ts'
import { createStreamedMessage, type StreamedMessage } from './streamed-message.ts'
import type {
  AgentEvent,
  ApprovalRequestEvent,
  CompactionStartEvent,
  ShellRun,
  SubagentStartEvent,
  Task,
  ToolCallEvent,
  ToolExecutionEndEvent,
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
  /** How many messages, calls, approvals, tasks and shell commands are open. */
  size(): number
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
    shells: new Set(),
  }
  const push = (event: AgentEvent) => track(event, open)

  return {
    push,
    isRunning: () => open.isRunning,
    size: () =>
      open.messages.size +
      open.tools.size +
      open.subagents.size +
      open.approvals.size +
      open.tasks.size +
      open.shells.size,
    close(options) {
      const { reason, errorMessage } = options
      const events = [
        ...[...open.approvals.values()].map((request) => closeApproval(request, options)),
        ...[...open.messages.values()].flatMap((message) => message.close(reason)),
        ...closeCalls(open),
        ...closeTasks(open),
        ...[...open.shells].map(closeShell),
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
  /** Ids of the shell commands of people that have not ended. */
  readonly shells: Set<string>
}

interface OpenTool {
  call: ToolCallEvent
  isStarted: boolean
  /** Present while the result of the call is still to come. */
  end?: ToolExecutionEndEvent
}

const track = (event: AgentEvent, open: OpenItems): unknown => {
  switch (event.type) {
    case 'agent_start':
    case 'agent_end':
      open.isRunning = event.type === 'agent_start'
      return dropEnded(open)
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
      return open.tools.set(event.toolCallId, { call: event, isStarted: false })
    case 'tool_execution_start': {
      const tool = open.tools.get(event.toolCallId)
      if (tool) tool.isStarted = true
      return
    }
    case 'tool_execution_end': {
      const tool = open.tools.get(event.toolCallId)
      if (tool) tool.end = event
      return
    }
    case 'tool_result':
      return open.tools.delete(event.message.toolCallId)
    case 'subagent_start':
      return open.subagents.set(event.toolCallId, event)
    case 'subagent_end':
      return open.subagents.delete(event.toolCallId)
    case 'session_update':
      if (event.shell) trackShell(event.shell, open)
      return event.task && trackTask(event.task, open)
    case 'approval_request':
      return open.approvals.set(event.approvalId, event)
    case 'approval_resolved':
      return open.approvals.delete(event.approvalId)
  }
}

/** Logs of earlier versions have calls that ended without a result. None comes after their run. */
const dropEnded = ({ tools }: OpenItems): void => {
  for (const [id, { end }] of tools) if (end) tools.delete(id)
}

const trackTask = (task: Task, { tasks }: OpenItems): unknown =>
  task.state === 'running' ? tasks.set(task.id, task) : tasks.delete(task.id)

const trackShell = (shell: ShellRun, { shells }: OpenItems): unknown => {
  if (hasShellEnded(shell)) return shells.delete(shell.id)
  return shell.command !== undefined && shells.add(shell.id)
}

/** The shell command ends with the agent. */
const closeShell = (id: string): AgentEvent => ({
  type: 'session_update',
  shell: { id, cancelled: true },
})

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

/**
 * Closes the calls and the subagents, what works inside a call before the call. So a subagent in the
 * background ends after its calls: between runs, nothing may come from one that has ended.
 */
const closeCalls = ({ tools, subagents }: OpenItems): AgentEvent[] => {
  const closed = new Set<string>()
  const isInside = (toolCallId: string, id: string) =>
    (tools.get(id)?.call ?? subagents.get(id))?.parentToolCallId === toolCallId

  const close = (toolCallId: string): AgentEvent[] => {
    if (closed.has(toolCallId)) return []
    closed.add(toolCallId)
    const tool = tools.get(toolCallId)
    const subagent = subagents.get(toolCallId)
    return [
      ...ids.filter((id) => isInside(toolCallId, id)).flatMap(close),
      ...(subagent ? [closeSubagent(subagent)] : []),
      ...(tool ? closeTool(tool) : []),
    ]
  }

  const ids = [...tools.keys(), ...subagents.keys()]
  return ids.flatMap(close)
}

const closeTool = ({ call, isStarted, end }: OpenTool): AgentEvent[] => {
  if (end) return [missingResult(end)]
  if (isStarted) return interruptCall(call)
  const { toolCallId, toolName, input, blob } = call
  const args = { args: input, ...(blob && { blob }) }
  const start: AgentEvent = { type: 'tool_execution_start', toolCallId, toolName, ...args }
  return [{ ...start, ...parentOf(call) }, ...interruptCall(call)]
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
