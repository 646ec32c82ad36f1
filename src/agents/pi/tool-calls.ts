import { type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import type { OpenMessage } from '../open-message.ts'

/**
 * The tool calls of a message in flight. Depending on the dialect, the name of a call is in its
 * event, in a snapshot of the message, in `message_start`, or known only at the end (0.84.0).
 */
export interface ToolCalls {
  start(message: OpenMessage, index: number, event: Fields): void
  /** Appends to the arguments. They are held back until the call has a name. */
  delta(message: OpenMessage, index: number, delta: string): void
  end(message: OpenMessage, index: number, event: Fields): void
}

interface CallName {
  id: string
  name: string
}

/** `content` is the content of `message_start`. */
export const createToolCalls = (content: unknown): ToolCalls => {
  const names = namesIn(content)
  /** Arguments of calls that have no name yet. */
  const held = new Map<number, string>()

  const nameOf = (index: number, event: Fields): CallName | undefined => {
    const snapshot = fieldsOf(listOf(fieldsOf(event.partial).content)[index])
    const id = stringOf(event.id) ?? stringOf(snapshot.id)
    const name = stringOf(event.toolName) ?? stringOf(snapshot.name)
    return id !== undefined && name !== undefined ? { id, name } : names.get(index)
  }

  return {
    start(message, index, event) {
      const call = nameOf(index, event)
      if (call) message.startTool(index, call.id, call.name)
    },
    delta(message, index, delta) {
      if (message.has(index)) message.toolDelta(index, delta)
      else held.set(index, (held.get(index) ?? '') + delta)
    },
    end(message, index, event) {
      const call = fieldsOf(event.toolCall)
      const found = nameOf(index, event)
      const id = stringOf(call.id) ?? found?.id ?? ''
      const name = stringOf(call.name) ?? found?.name ?? ''
      message.startTool(index, id, name)
      const waiting = held.get(index)
      if (waiting !== undefined) message.toolDelta(index, waiting)
      held.delete(index)
      message.endTool(index, id, name, call.arguments)
    },
  }
}

const namesIn = (content: unknown): Map<number, CallName> => {
  const names = new Map<number, CallName>()
  for (const [index, item] of listOf(content).entries()) {
    const block = fieldsOf(item)
    const id = stringOf(block.id)
    const name = stringOf(block.name)
    if (block.type === 'toolCall' && id && name) names.set(index, { id, name })
  }
  return names
}
