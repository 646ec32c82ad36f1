import type { Block, Message, ToolResultMessage } from '../../events/types.ts'

/** Gathers the text of blocks while they stream. */
export const createBlocks = () => {
  const messages = new Map<string, Map<number, string[]>>()

  return {
    add(messageId: string, contentIndex: number, delta: string): void {
      const blocks = messages.get(messageId) ?? new Map<number, string[]>()
      messages.set(messageId, blocks)
      const pieces = blocks.get(contentIndex)
      if (pieces) pieces.push(delta)
      else blocks.set(contentIndex, [delta])
    },
    /** The whole text of a block. */
    take(messageId: string, contentIndex: number): string {
      const pieces = messages.get(messageId)?.get(contentIndex) ?? []
      messages.get(messageId)?.delete(contentIndex)
      return pieces.join('')
    },
    /** Nothing more comes of this message. */
    drop: (messageId: string): void => void messages.delete(messageId),
  }
}

interface Slot {
  id?: string
  message?: Message | ToolResultMessage
}

/** Gathers the messages of a run in the order in which they began, without what was taken back. */
export const createRun = () => {
  let slots: Slot[] = []

  return {
    begin(): void {
      slots = []
    },
    /** A message begins: results of its tools may come before it ends, and belong behind it. */
    open(id: string): void {
      slots.push({ id })
    },
    close(id: string, message: Message): void {
      const slot = slots.findLast((each) => each.id === id)
      if (slot) slot.message = message
      else slots.push({ id, message })
    },
    add(message: ToolResultMessage): void {
      slots.push({ message })
    },
    /** Takes back a message, or its blocks from an index on. */
    withdraw(id: string, from = 0): void {
      slots = slots.flatMap((each) => {
        if (each.id !== id) return [each]
        if (from === 0 || !each.message) return []
        const { message } = each
        return [{ id, message: { ...message, content: message.content.slice(0, from) } }]
      })
    },
    /** All messages, and what was said last. */
    end() {
      const messages = slots.flatMap(({ message }) => message ?? [])
      slots = []
      const text = messages
        .filter(({ role }) => role === 'assistant')
        .map(({ content }) => content.map(textOf).join(''))
        .findLast((said) => said !== '')
      return { messages, ...(text !== undefined && { text }) }
    },
  }
}

const textOf = (block: Block): string =>
  block.type === 'text' && typeof block.text === 'string' ? block.text : ''
