import type { AgentEvent, AssistantMessageEvent, Block, EventOf } from './types.ts'

/** A message that has begun, with what was streamed of it so far. */
export const createStreamedMessage = (start: EventOf<'message_start'>) => {
  const { messageId, messageRole: role, model, parentToolCallId } = start
  const inside = parentToolCallId === undefined ? {} : { parentToolCallId }
  const isAssistant = role === 'assistant'
  const blocks = new Map<number, Block>()
  let isDone = false

  return {
    grow(update: AssistantMessageEvent): void {
      if (update.type === 'done' || update.type === 'error') isDone = true
      else if (update.type === 'text_delta')
        blocks.set(update.contentIndex, grownText(blocks.get(update.contentIndex), update.delta))
      else if (update.type === 'thinking_delta')
        blocks.set(update.contentIndex, grownThought(blocks.get(update.contentIndex), update.delta))
      else if (update.type === 'tool_use_end') blocks.set(update.contentIndex, calledTool(update))
    },
    /** Events that end it as far as it came. */
    close(reason: string): AgentEvent[] {
      const content = [...blocks].sort(([left], [right]) => left - right).map(([, block]) => block)
      const message = { role, content, stopReason: reason, ...(model !== undefined && { model }) }
      const end: AgentEvent = { type: 'message_end', messageId, message, ...inside }
      if (!isAssistant || isDone) return [end]
      const assistantMessageEvent = { type: 'error' as const, reason }
      return [{ type: 'message_update', messageId, assistantMessageEvent, ...inside }, end]
    },
  }
}
export type StreamedMessage = ReturnType<typeof createStreamedMessage>

const grownText = (before: Block | undefined, delta: string): Block => {
  const text = before?.type === 'text' && typeof before.text === 'string' ? before.text : ''
  return { type: 'text', text: text + delta }
}

const grownThought = (before: Block | undefined, delta: string): Block => {
  const known = before?.type === 'thinking' && typeof before.thinking === 'string'
  return { type: 'thinking', thinking: (known ? before.thinking : '') + delta }
}

const calledTool = (update: Extract<AssistantMessageEvent, { type: 'tool_use_end' }>): Block => ({
  type: 'toolCall',
  id: update.toolCallId,
  name: update.name,
  arguments: update.input,
  ...(update.blob && { blob: update.blob }),
})
