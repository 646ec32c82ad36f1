import type { Block, Message, ToolResultMessage } from '../../events/types.ts'

/** Collects the text of blocks while they stream. */
export interface BlockTexts {
  /** Appends a delta to a block. */
  add(messageId: string, contentIndex: number, delta: string): void
  /** Returns the whole text of a block and forgets it. */
  take(messageId: string, contentIndex: number): string
  /** Forgets the blocks of a message that has ended. */
  drop(messageId: string): void
}

export const createBlockTexts = (): BlockTexts => {
  const messages = new Map<string, Map<number, string[]>>()

  return {
    add(messageId, contentIndex, delta) {
      const blocks = messages.get(messageId) ?? new Map<number, string[]>()
      messages.set(messageId, blocks)
      const deltas = blocks.get(contentIndex)
      if (deltas) deltas.push(delta)
      else blocks.set(contentIndex, [delta])
    },
    take(messageId, contentIndex) {
      const deltas = messages.get(messageId)?.get(contentIndex) ?? []
      messages.get(messageId)?.delete(contentIndex)
      return deltas.join('')
    },
    drop: (messageId) => void messages.delete(messageId),
  }
}

/** Collects the messages of a run, in the order in which they started. */
export interface RunMessages {
  /** Starts a run: forgets the messages of the previous one. */
  begin(): void
  /** Reserves the position of a message. Results of its tools may come before its end. */
  open(id: string): void
  /** Stores a message at its position. */
  close(id: string, message: Message): void
  /** Appends the result of a tool. */
  add(message: ToolResultMessage): void
  /** Removes a message, or its blocks from an index on, and the results of calls in them. */
  withdraw(id: string, from?: number): void
  /** Ends the run: returns its messages, and the last text of the agent. */
  end(): { messages: (Message | ToolResultMessage)[]; text?: string }
}

interface Slot {
  id?: string
  message?: Message | ToolResultMessage
}

export const createRunMessages = (): RunMessages => {
  let slots: Slot[] = []

  return {
    begin() {
      slots = []
    },
    open(id) {
      slots.push({ id })
    },
    close(id, message) {
      const slot = slots.findLast((each) => each.id === id)
      if (slot) slot.message = message
      else slots.push({ id, message })
    },
    add(message) {
      slots.push({ message })
    },
    withdraw(id, from = 0) {
      const calls = new Set(slots.flatMap((each) => (each.id === id ? callsIn(each, from) : [])))
      slots = slots.flatMap((each) => {
        const { message } = each
        if (message?.role === 'toolResult' && calls.has(message.toolCallId)) return []
        if (each.id !== id) return [each]
        if (from === 0 || !message) return []
        return [{ id, message: { ...message, content: message.content.slice(0, from) } }]
      })
    },
    end() {
      const messages = slots.flatMap(({ message }) => message ?? [])
      slots = []
      const text = messages
        .filter(({ role }) => role === 'assistant')
        .map(({ content }) => content.map(textIn).join(''))
        .findLast((each) => each !== '')
      return { messages, ...(text !== undefined && { text }) }
    },
  }
}

/** Ids of the tool calls in a message from a block on. */
const callsIn = ({ message }: Slot, from: number): string[] =>
  (message?.content ?? [])
    .slice(from)
    .flatMap((block) => (block.type === 'toolCall' ? [String(block.id)] : []))

const textIn = (block: Block): string =>
  block.type === 'text' && typeof block.text === 'string' ? block.text : ''
