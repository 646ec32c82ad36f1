import type { AgentEvent, EventOf } from '../../events/event.ts'
import { createStreamedMessage, type StreamedMessage } from '../../events/streamed-message.ts'

/** Why what is open is closed before its time. */
export type Cut = 'aborted' | 'error' | 'interrupted'

interface OpenTool {
  call: EventOf<'tool_call'>
  stage: 'called' | 'started' | 'ended'
}

/**
 * What a stream has open: whether an event is in its place, and the events that close the rest.
 * The decoder uses it for a process that is gone, the program for a run that is aborted.
 */
export const createOpen = () => {
  let begun = false
  let running = false
  let turnOpen = false
  let message: StreamedMessage | undefined
  const seen = new Set<string>()
  const tools = new Map<string, OpenTool>()
  const approvals = new Map<string, EventOf<'approval_request'>>()

  const stageOf = (toolCallId: string) => tools.get(toolCallId)?.stage
  const unfinished = () => [...tools.values()].filter(({ stage }) => stage !== 'ended')

  const fits = (event: AgentEvent): boolean => {
    switch (event.type) {
      case 'session_start':
        return !begun
      case 'agent_start':
        return !running
      case 'agent_end':
        return running && !turnOpen && !message && unfinished().length === 0
      case 'turn_start':
        return running && !turnOpen
      case 'turn_end':
        return turnOpen
      case 'message_start':
        return running && !message && !seen.has(event.messageId)
      case 'message_update':
        return message?.id === event.messageId && message.canGrow()
      case 'message_end':
        return message?.id === event.messageId && message.canEnd()
      case 'message_withdrawn':
        return seen.has(event.messageId)
      case 'tool_call':
        return running && stageOf(event.toolCallId) === undefined
      case 'tool_execution_start':
        return stageOf(event.toolCallId) === 'called'
      case 'tool_execution_update':
      case 'tool_execution_end':
        return stageOf(event.toolCallId) === 'started'
      case 'tool_result':
        return stageOf(event.message.toolCallId) === 'ended'
      case 'approval_request':
        return !approvals.has(event.approvalId)
      case 'approval_resolved':
        return approvals.has(event.approvalId) || event.outcome === 'policy'
      default:
        return true
    }
  }

  const move = (toolCallId: string, stage: OpenTool['stage']) => {
    const tool = tools.get(toolCallId)
    if (tool) tool.stage = stage
  }

  const apply = (event: AgentEvent): unknown => {
    begun = true
    switch (event.type) {
      case 'agent_start':
        running = true
        return
      case 'agent_end':
        running = false
        return tools.clear()
      case 'turn_start':
        turnOpen = true
        return
      case 'turn_end':
        turnOpen = false
        return
      case 'message_start':
        seen.add(event.messageId)
        message = createStreamedMessage(event)
        return
      case 'message_update':
        return message?.grow(event.assistantMessageEvent)
      case 'message_end':
        message = undefined
        return
      case 'tool_call':
        return tools.set(event.toolCallId, { call: event, stage: 'called' })
      case 'tool_execution_start':
        return move(event.toolCallId, 'started')
      case 'tool_execution_end':
        return move(event.toolCallId, 'ended')
      case 'tool_result':
        return tools.delete(event.message.toolCallId)
      case 'approval_request':
        return approvals.set(event.approvalId, event)
      case 'approval_resolved':
        return approvals.delete(event.approvalId)
    }
  }

  /** Takes an event in; false when it is out of place, and then nothing has changed. */
  const take = (event: AgentEvent): boolean => {
    if (!fits(event)) return false
    apply(event)
    return true
  }

  return {
    take,
    /** Events that close what is open, the run last, in the promised order. */
    close(cut: Cut, errorMessage?: string): AgentEvent[] {
      const closing: AgentEvent[] = [
        ...[...approvals.values()].map((request) => closeApproval(request, cut)),
        ...(message?.close(cut) ?? []),
        ...unfinished().flatMap((tool) => closeTool(tool, cut)),
      ]
      if (turnOpen) closing.push({ type: 'turn_end', stopReason: cut })
      if (running) closing.push(closeRun(cut, errorMessage))
      return closing.filter(take)
    },
  }
}
export type Open = ReturnType<typeof createOpen>

const closeApproval = (request: EventOf<'approval_request'>, cut: Cut): AgentEvent => ({
  type: 'approval_resolved',
  approvalId: request.approvalId,
  ...(request.toolCallId !== undefined && { toolCallId: request.toolCallId }),
  action: 'deny',
  outcome: cut === 'interrupted' ? 'agent_gone' : 'cancelled',
})

const closeTool = ({ call, stage }: OpenTool, cut: Cut): AgentEvent[] => {
  const { toolCallId, toolName, input: args } = call
  const how =
    cut === 'interrupted'
      ? { interrupted: true as const }
      : { isError: true, result: { content: [{ type: 'text', text: 'Stopped.' }] } }
  const end: AgentEvent = { type: 'tool_execution_end', toolCallId, toolName, ...how }
  if (stage === 'started') return [end]
  return [{ type: 'tool_execution_start', toolCallId, toolName, args }, end]
}

const closeRun = (cut: Cut, errorMessage: string | undefined): AgentEvent => ({
  type: 'agent_end',
  stopReason: cut,
  ...(errorMessage !== undefined && { errorMessage }),
  ...(cut === 'interrupted' && { interrupted: true }),
})
