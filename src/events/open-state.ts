import { createStreamedMessage, type StreamedMessage } from './streamed-message.ts'
import type { AgentEvent, EventOf } from './types.ts'

/** Why what is open is closed before its time. */
export type CloseReason = 'aborted' | 'error' | 'interrupted'

export interface CloseOptions {
  reason: CloseReason
  errorMessage?: string | undefined
  /** When that is: a request whose deadline has passed has expired. */
  now?: number
}

interface OpenTool {
  call: EventOf<'tool_call'>
  isStarted: boolean
}

/**
 * What a stream has left open, and the events that close it: for a run that was stopped, and for
 * one whose process or server died.
 */
export const createOpenState = () => {
  let running = false
  let turnOpen = false
  let compacting: EventOf<'compaction_start'> | undefined
  const messages = new Map<string, StreamedMessage>()
  const tools = new Map<string, OpenTool>()
  const subagents = new Map<string, EventOf<'subagent_start'>>()
  const approvals = new Map<string, EventOf<'approval_request'>>()

  const push = (event: AgentEvent): void => {
    switch (event.type) {
      case 'agent_start':
        running = true
        return
      case 'agent_end':
        running = false
        return
      case 'turn_start':
        turnOpen = true
        return
      case 'turn_end':
        turnOpen = false
        return
      case 'compaction_start':
        compacting = event
        return
      case 'compaction_end':
        compacting = undefined
        return
      case 'message_start':
        messages.set(event.messageId, createStreamedMessage(event))
        return
      case 'message_update':
        messages.get(event.messageId)?.grow(event.assistantMessageEvent)
        return
      case 'message_end':
        messages.delete(event.messageId)
        return
      case 'tool_call':
        tools.set(event.toolCallId, { call: event, isStarted: false })
        return
      case 'tool_execution_start': {
        const open = tools.get(event.toolCallId)
        if (open) open.isStarted = true
        return
      }
      case 'tool_execution_end':
        tools.delete(event.toolCallId)
        return
      case 'subagent_start':
        subagents.set(event.toolCallId, event)
        return
      case 'subagent_end':
        subagents.delete(event.toolCallId)
        return
      case 'approval_request':
        approvals.set(event.approvalId, event)
        return
      case 'approval_resolved':
        approvals.delete(event.approvalId)
        return
    }
  }

  return {
    push,
    isRunning: () => running,
    /** Events that settle what is open, in the promised order; none when nothing is. */
    close(closing: CloseOptions): AgentEvent[] {
      const { reason: cut, errorMessage } = closing
      const events = [
        ...[...approvals.values()].map((request) => closeApproval(request, closing)),
        ...[...messages.values()].flatMap((message) => message.close(cut)),
        ...[...subagents.values()].map(closeSubagent),
        ...[...tools.values()].flatMap((tool) => closeTool(tool, cut)),
      ]
      if (compacting) events.push(closeCompaction(compacting))
      if (turnOpen) events.push({ type: 'turn_end', stopReason: cut })
      if (running) events.push(closeRun(cut, errorMessage))
      for (const event of events) push(event)
      return events
    },
  }
}

const closeApproval = (
  { approvalId, toolCallId, deadline = Number.POSITIVE_INFINITY }: EventOf<'approval_request'>,
  { reason: cut, now = 0 }: CloseOptions,
): AgentEvent => {
  const lost = deadline <= now ? 'expired' : 'agent_gone'
  return {
    type: 'approval_resolved',
    approvalId,
    ...(toolCallId !== undefined && { toolCallId }),
    action: 'deny',
    outcome: cut === 'interrupted' ? lost : 'cancelled',
  }
}

/** Where it happened, so that a subagent’s message is closed on its own thread. */
const insideOf = ({ parentToolCallId }: AgentEvent) =>
  parentToolCallId === undefined ? {} : { parentToolCallId }

const closeTool = ({ call, isStarted }: OpenTool, cut: CloseReason): AgentEvent[] => {
  const { toolCallId, toolName, input, blob } = call
  const inside = insideOf(call)
  const end: AgentEvent = {
    type: 'tool_execution_end',
    toolCallId,
    toolName,
    ...(cut === 'interrupted' ? { interrupted: true } : stopped),
    ...inside,
  }
  if (isStarted) return [end]
  const args = { args: input, ...(blob && { blob }) }
  return [{ type: 'tool_execution_start', toolCallId, toolName, ...args, ...inside }, end]
}

const stopped = { isError: true, result: { content: [{ type: 'text', text: 'Stopped.' }] } }

const closeSubagent = (start: EventOf<'subagent_start'>): AgentEvent => ({
  type: 'subagent_end',
  toolCallId: start.toolCallId,
  ...insideOf(start),
})

const closeCompaction = ({ reason }: EventOf<'compaction_start'>): AgentEvent => ({
  type: 'compaction_end',
  ...(reason !== undefined && { reason }),
  aborted: true,
})

const closeRun = (cut: CloseReason, errorMessage: string | undefined): AgentEvent => ({
  type: 'agent_end',
  stopReason: cut,
  ...(errorMessage !== undefined && { errorMessage }),
  ...(cut === 'interrupted' && { interrupted: true }),
})
