import type { AgentEvent, Message } from '../events/types.ts'

/** Gathers what the agent said on its main thread, without what it took back. */
export const createTextCollector = () => {
  const parts = new Map<string, string[]>()

  return {
    push(event: AgentEvent): void {
      if (event.type === 'message_withdrawn') withdraw(event.messageId, event.fromContentIndex)
      if (event.type !== 'message_end' || event.parentToolCallId !== undefined) return
      if (event.message.role === 'assistant') parts.set(event.messageId, textsOf(event.message))
    },
    /** Messages stand on lines of their own, unless one goes on with white space. */
    text: (): string => [...parts.values()].map((texts) => texts.join('')).reduce(join, ''),
  }

  function withdraw(id: string, from = 0) {
    if (from === 0) parts.delete(id)
    else parts.set(id, (parts.get(id) ?? []).slice(0, from))
  }
}

/** The text of each block, so that blocks can be taken back by their index. */
const textsOf = (message: Message): string[] =>
  message.content.map((block) =>
    block.type === 'text' && typeof block.text === 'string' ? block.text : '',
  )

const join = (left: string, right: string): string => {
  if (left === '' || right === '') return left + right
  return /\s$/.test(left) || /^\s/.test(right) ? left + right : `${left}\n${right}`
}
