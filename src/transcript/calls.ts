import type { Message } from '../events/message.ts'

/** The arguments of each call that a thread has shown so far, by id. */
export type Calls = Map<string, unknown>

/** Remembers the calls that a message makes. */
export const noteCalls = (calls: Calls, message: Message): void => {
  for (const block of message.content)
    if (block.type === 'toolCall' && typeof block.id === 'string')
      calls.set(block.id, block.arguments)
}
