import type { AgentEvent, Message } from '../events/types.ts'

/** Collects the text of the agent’s messages on the main thread. */
export interface TextCollector {
  /** Adds one event. */
  push(event: AgentEvent): void
  /** The text so far, without withdrawn messages. */
  text(): string
  /** The text of the last message that has any: the answer of the run. */
  finalText(): string
}

export const createTextCollector = (): TextCollector => {
  /** The text of each block, by message id, so that single blocks can be withdrawn. */
  const messages = new Map<string, string[]>()

  const withdraw = (id: string, from = 0) => {
    if (from === 0) messages.delete(id)
    else messages.set(id, (messages.get(id) ?? []).slice(0, from))
  }

  return {
    push(event) {
      if (event.type === 'message_withdrawn') withdraw(event.messageId, event.fromContentIndex)
      if (event.type !== 'message_end' || event.parentToolCallId !== undefined) return
      if (event.message.role === 'assistant')
        messages.set(event.messageId, blockTexts(event.message))
    },
    finalText: () => [...messages.values()].map((texts) => texts.join('')).findLast(Boolean) ?? '',
    text: () => [...messages.values()].map((texts) => texts.join('')).reduce(joinMessages, ''),
  }
}

const blockTexts = (message: Message): string[] =>
  message.content.map((block) =>
    block.type === 'text' && typeof block.text === 'string' ? block.text : '',
  )

/** Each message starts on its own line, unless there is white space between them already. */
const joinMessages = (left: string, right: string): string => {
  if (left === '' || right === '') return left + right
  return /\s$/.test(left) || /^\s/.test(right) ? left + right : `${left}\n${right}`
}
