import type { AgentEvent, EventOf } from '../events/event.ts'
import type { Block } from '../events/message.ts'
import type { AssistantMessageEvent } from '../events/update.ts'

interface OpenMessage {
  start: EventOf<'message_start'>
  blocks: (Block | undefined)[]
  /** Its last update has come; only its end is missing. */
  isDone: boolean
}

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
  const messages = new Map<string, OpenMessage>()
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
        messages.set(event.messageId, { start: event, blocks: [], isDone: false })
        return
      case 'message_update': {
        const open = messages.get(event.messageId)
        if (open) grow(open, event.assistantMessageEvent)
        return
      }
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
    close(errorMessage: string): AgentEvent[] {
      const closing = [
        ...[...approvals.keys()].map(goneApproval),
        ...[...messages.values()].flatMap(closeMessage),
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
export type OpenState = ReturnType<typeof createOpenState>

const goneApproval = (approvalId: string): AgentEvent => ({
  type: 'approval_resolved',
  approvalId,
  action: 'deny',
  outcome: 'agent_gone',
})

/** Where it happened, so that a subagent’s message is closed on its own thread. */
const insideOf = ({ parentToolCallId }: AgentEvent) =>
  parentToolCallId === undefined ? {} : { parentToolCallId }

/** What was streamed stays as far as it came. */
const closeMessage = ({ start, blocks, isDone }: OpenMessage): AgentEvent[] => {
  const { messageId, messageRole: role } = start
  const inside = insideOf(start)
  const content = blocks.filter((block) => block !== undefined)
  const end: AgentEvent = {
    type: 'message_end',
    messageId,
    message: { role, content, stopReason: 'interrupted' },
    ...inside,
  }
  if (role !== 'assistant' || isDone) return [end]
  const assistantMessageEvent = { type: 'error' as const, reason: 'interrupted' }
  return [{ type: 'message_update', messageId, assistantMessageEvent, ...inside }, end]
}

const grow = (open: OpenMessage, update: AssistantMessageEvent): void => {
  if (update.type === 'done' || update.type === 'error') open.isDone = true
  else if (update.type === 'text_delta') {
    const before = open.blocks[update.contentIndex]
    const text = before?.type === 'text' && typeof before.text === 'string' ? before.text : ''
    open.blocks[update.contentIndex] = { type: 'text', text: text + update.delta }
  } else if (update.type === 'thinking_delta') {
    const before = open.blocks[update.contentIndex]
    const known = before?.type === 'thinking' && typeof before.thinking === 'string'
    const thinking = (known ? before.thinking : '') + update.delta
    open.blocks[update.contentIndex] = { type: 'thinking', thinking }
  } else if (update.type === 'tool_use_end') {
    const { toolCallId: id, name, input } = update
    open.blocks[update.contentIndex] = { type: 'toolCall', id, name, arguments: input }
  }
}

const closeTool = ({ call, isStarted }: OpenTool): AgentEvent[] => {
  const { toolCallId, toolName, input: args } = call
  const inside = insideOf(call)
  const end: AgentEvent = {
    type: 'tool_execution_end',
    toolCallId,
    toolName,
    interrupted: true,
    ...inside,
  }
  if (isStarted) return [end]
  return [{ type: 'tool_execution_start', toolCallId, toolName, args, ...inside }, end]
}

const closeSubagent = (start: EventOf<'subagent_start'>): AgentEvent => ({
  type: 'subagent_end',
  toolCallId: start.toolCallId,
  ...insideOf(start),
})
