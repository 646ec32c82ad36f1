import type {
  AgentEvent,
  AssistantMessageEvent,
  Block,
  MessageStartEvent,
  ToolUseEndUpdate,
} from './types.ts'

/** A message that has started, with the content that was streamed so far. */
export interface StreamedMessage {
  /** Applies one update. */
  update(update: AssistantMessageEvent): void
  /** The events that end the message with its streamed content. */
  close(stopReason: string): AgentEvent[]
}

export const createStreamedMessage = (start: MessageStartEvent): StreamedMessage => {
  const { messageId, messageRole: role, model, parentToolCallId } = start
  const parent = parentToolCallId === undefined ? {} : { parentToolCallId }
  const blocks = new Map<number, Block>()
  let isDone = false

  return {
    update(update) {
      if (update.type === 'done' || update.type === 'error') isDone = true
      else if (update.type === 'text_delta')
        blocks.set(update.contentIndex, growText(blocks.get(update.contentIndex), update.delta))
      else if (update.type === 'thinking_delta')
        blocks.set(update.contentIndex, growThinking(blocks.get(update.contentIndex), update.delta))
      else if (update.type === 'tool_use_end') blocks.set(update.contentIndex, callBlock(update))
    },
    close(stopReason) {
      const content = [...blocks].sort(([left], [right]) => left - right).map(([, block]) => block)
      const message = { role, content, stopReason, ...(model !== undefined && { model }) }
      const end: AgentEvent = { type: 'message_end', messageId, message, ...parent }
      if (role !== 'assistant' || isDone) return [end]
      const assistantMessageEvent = { type: 'error' as const, reason: stopReason }
      return [{ type: 'message_update', messageId, assistantMessageEvent, ...parent }, end]
    },
  }
}

const growText = (before: Block | undefined, delta: string): Block => {
  const text = before?.type === 'text' && typeof before.text === 'string' ? before.text : ''
  return { type: 'text', text: text + delta }
}

const growThinking = (before: Block | undefined, delta: string): Block => {
  const isThinking = before?.type === 'thinking' && typeof before.thinking === 'string'
  return { type: 'thinking', thinking: (isThinking ? before.thinking : '') + delta }
}

const callBlock = (update: ToolUseEndUpdate): Block => ({
  type: 'toolCall',
  id: update.toolCallId,
  name: update.name,
  arguments: update.input,
  ...(update.blob && { blob: update.blob }),
})
