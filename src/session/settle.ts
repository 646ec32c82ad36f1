import type { AgentEvent, EventOf } from '../events/event.ts'
import { createStreamedMessage, type StreamedMessage } from '../events/streamed-message.ts'

interface OpenTool {
  call: EventOf<'tool_call'>
  isStarted: boolean
}

/**
 * What a stored stream has left open, and the events that close it: for a session whose process,
 * or whose server, died in the middle of a run.
 */
export const createOpenState = () => {
  let running = false
  let turnOpen = false
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
    close(errorMessage: string, now = 0): AgentEvent[] {
      const closing = [
        ...[...approvals.values()].map((request) => closeApproval(request, now)),
        ...[...messages.values()].flatMap((message) => message.close('interrupted')),
        ...[...subagents.values()].map(closeSubagent),
        ...[...tools.values()].flatMap(closeTool),
      ]
      if (turnOpen) closing.push({ type: 'turn_end', stopReason: 'interrupted' })
      if (running)
        closing.push({
          type: 'agent_end',
          stopReason: 'interrupted',
          errorMessage,
          interrupted: true,
        })
      for (const event of closing) push(event)
      return closing
    },
  }
}

const closeApproval = (
  { approvalId, toolCallId, deadline = Number.POSITIVE_INFINITY }: EventOf<'approval_request'>,
  now: number,
): AgentEvent => ({
  type: 'approval_resolved',
  approvalId,
  ...(toolCallId !== undefined && { toolCallId }),
  action: 'deny',
  outcome: deadline <= now ? 'expired' : 'agent_gone',
})

/** Where it happened, so that a subagent’s message is closed on its own thread. */
const insideOf = ({ parentToolCallId }: AgentEvent) =>
  parentToolCallId === undefined ? {} : { parentToolCallId }

const closeTool = ({ call, isStarted }: OpenTool): AgentEvent[] => {
  const { toolCallId, toolName, input, blob } = call
  const inside = insideOf(call)
  const end: AgentEvent = {
    type: 'tool_execution_end',
    toolCallId,
    toolName,
    interrupted: true,
    ...inside,
  }
  if (isStarted) return [end]
  const args = { args: input, ...(blob && { blob }) }
  return [{ type: 'tool_execution_start', toolCallId, toolName, ...args, ...inside }, end]
}

const closeSubagent = (start: EventOf<'subagent_start'>): AgentEvent => ({
  type: 'subagent_end',
  toolCallId: start.toolCallId,
  ...insideOf(start),
})
