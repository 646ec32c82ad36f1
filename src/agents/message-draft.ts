import type { Block, Message, Usage } from '../events/types.ts'
import type { Emit } from './emit.ts'
import { createOpenMessage, type MessageFailure, type TextKind } from './open-message.ts'

/** An assistant message whose blocks have names instead of positions: they count as they appear. */
export interface MessageDraft {
  readonly id: string
  /** Starts the block of that name, unless it has started. */
  start(kind: TextKind, name: string): void
  /** Appends to the block of that name. */
  delta(kind: TextKind, name: string, delta: string): void
  /** Ends the block of that name, whose whole text this is. */
  complete(kind: TextKind, name: string, whole: string): void
  /** Starts a tool call, unless it has started. */
  startTool(toolCallId: string, toolName: string): void
  /** Appends to the JSON text of a tool call’s arguments. */
  toolDelta(toolCallId: string, toolName: string, delta: string): void
  /** Ends a tool call, whose arguments these are. */
  endTool(toolCallId: string, toolName: string, input: unknown): void
  has(name: string): boolean
  /** Whether it has no blocks yet. */
  isEmpty(): boolean
  /** What was streamed so far, with the whole texts in place of their deltas. */
  content(): Block[]
  usage(usage: Usage): void
  /** Ends the message. */
  finish(fields?: Omit<Message, 'role' | 'content'>, failure?: MessageFailure): void
}

export const createMessageDraft = (
  id: string,
  emit: Emit,
  model: string | undefined,
): MessageDraft => {
  emit({
    type: 'message_start',
    messageRole: 'assistant',
    messageId: id,
    ...(model !== undefined && { model }),
  })
  const open = createOpenMessage(id, emit)
  const indexes = new Map<string, number>()
  /** The whole texts, as far as the agent has sent them, by index. */
  const whole = new Map<number, string>()
  let lastUsage: Usage | undefined

  const indexOf = (name: string): number => {
    const index = indexes.get(name) ?? indexes.size
    indexes.set(name, index)
    return index
  }

  const withWhole = (block: Block, index: number): Block => {
    const text = whole.get(index)
    if (text === undefined || block.type === 'toolCall') return block
    return block.type === 'thinking' ? { type: 'thinking', thinking: text } : { type: 'text', text }
  }

  const startTool = (toolCallId: string, toolName: string): number => {
    const index = indexOf(toolCallId)
    open.startTool(index, toolCallId, toolName)
    return index
  }

  const content = () => open.content().map(withWhole)

  return {
    id,
    content,
    start: (kind, name) => open.start(indexOf(name), kind),
    delta: (kind, name, delta) => open.delta(indexOf(name), kind, delta),
    complete(kind, name, text) {
      if (text === '' && !indexes.has(name)) return
      const index = indexOf(name)
      open.complete(index, kind, text)
      whole.set(index, text)
    },
    startTool: (toolCallId, toolName) => void startTool(toolCallId, toolName),
    toolDelta: (toolCallId, toolName, delta) =>
      open.toolDelta(startTool(toolCallId, toolName), delta),
    endTool: (toolCallId, toolName, input) =>
      open.endTool(startTool(toolCallId, toolName), toolCallId, toolName, input),
    has: (name) => indexes.has(name),
    isEmpty: () => indexes.size === 0,
    usage(usage) {
      lastUsage = usage
      open.usage(usage)
    },
    finish(fields = {}, failure) {
      const usage = fields.usage ?? lastUsage
      const message: Message = {
        role: 'assistant',
        content: content(),
        ...(model !== undefined && { model }),
        ...fields,
        ...(usage && { usage }),
        ...(failure && { stopReason: failure.reason }),
        ...(failure?.errorMessage !== undefined && { errorMessage: failure.errorMessage }),
      }
      open.finish(message, failure)
    },
  }
}
