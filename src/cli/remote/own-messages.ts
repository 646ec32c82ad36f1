import type { Message, StampedEvent } from '../../events/types.ts'
import { resultText } from '../../handler/dispatch.ts'

/** The messages that this terminal has sent. They are on its screen already. */
export interface OwnMessages {
  /** Adds a message before it is sent. */
  add(text: string): void
  /** Removes a message that was not accepted. */
  remove(text: string): void
  /** Whether an event shows one of the messages. Each message is recognised once. */
  isEcho(event: StampedEvent): boolean
}

export const createOwnMessages = (): OwnMessages => {
  const sent: string[] = []
  const remove = (text: string): boolean => {
    const at = sent.indexOf(text)
    if (at >= 0) sent.splice(at, 1)
    return at >= 0
  }
  return {
    add: (text) => void sent.push(text),
    remove,
    isEcho: (event) =>
      event.type === 'message_end' &&
      event.message.role === 'user' &&
      remove(typedText(event.message).trim()),
  }
}

/** What was typed: the message without its images and files. */
const typedText = ({ content }: Message): string =>
  resultText({ content: content.filter(({ type }) => type === 'text') })
