import type { Client } from '../client/client.ts'
import { Fault } from '../shared/fault.ts'
import { shortened } from '../shared/shortened.ts'
import { plainLine } from './clean-text.ts'

/**
 * The id of the message of the user that a person means: `last`, its id, or a part of its text. Throws
 * a fault when there is none, or more than one.
 */
export const findMessage = async (
  client: Client,
  sessionId: string,
  wanted: string,
): Promise<string> => {
  const text = wanted.trim().toLowerCase()
  if (text === '') throw new Fault('usage', 'The message is empty.')
  const { messages } = await client.sessions.messages(sessionId)
  const said = messages.flatMap((message) =>
    message.role === 'user' && 'messageId' in message && !message.synthetic
      ? [{ id: message.messageId, text: textOf(message.content) }]
      : [],
  )
  const exact = said.find(({ id }) => id.toLowerCase() === text)
  if (exact) return exact.id
  const found =
    text === 'last' ? said.slice(-1) : said.filter((each) => each.text.toLowerCase().includes(text))
  const [first] = found
  if (!first) throw new Fault('usage', `The session has no message “${plainLine(wanted)}”.`)
  if (found.length > 1) throw new Fault('usage', severalMessages(wanted, found))
  return first.id
}

const severalMessages = (wanted: string, found: readonly { id: string; text: string }[]): string =>
  [
    `Several messages contain “${plainLine(wanted)}”. Choose one by its id:`,
    ...found.slice(0, 10).map(({ id, text }) => `  ${id}  ${shortened(plainLine(text), 50)}`),
  ].join('\n')

const textOf = (content: readonly { type: string; text?: unknown }[]): string =>
  content
    .map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : ''))
    .join('')
