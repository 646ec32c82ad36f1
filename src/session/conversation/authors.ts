import type { Actor, EventOf } from '../../events/types.ts'
import type { QueuedMessage } from './queue.ts'

/**
 * Who sent the commands whose events have not come yet. Agents do not pass that on, so a message of a
 * user is found by its id, or by its text where an agent gives it an id of its own.
 */
export interface Authors {
  /** Remembers who sent a message. */
  messageSent(message: Pick<QueuedMessage, 'id' | 'text'>, by: Actor | undefined): void
  /** The author of the next run: whoever sent the message with this id. */
  promptSent(messageId: string): void
  /** The event that starts a run, with its author. */
  withRunAuthor(event: EventOf<'agent_start'>): EventOf<'agent_start'>
  /** A complete message of a user, with its author. */
  withAuthor(event: EventOf<'message_end'>): EventOf<'message_end'>
  /** Remembers who changes the model. */
  modelRequested(by: Actor | undefined): void
  /** An update of the session, with whoever requested the model in it. */
  withModelAuthor(event: EventOf<'session_update'>): EventOf<'session_update'>
}

/** The name that events show. Without sign-in there is none. */
export const authorName = (by: Actor | undefined): string | undefined =>
  by === undefined || by.kind === 'nobody' ? undefined : by.name

interface SentMessage {
  id: string
  text: string
  by: string
}

/** More than the queue of a session holds. */
const maxSent = 200

export const createAuthors = (): Authors => {
  let sent: SentMessage[] = []
  let runBy: string | undefined
  let modelBy: string | undefined

  return {
    messageSent({ id, text }, by) {
      const name = authorName(by)
      if (name !== undefined) sent = [...sent.slice(1 - maxSent), { id, text, by: name }]
    },
    promptSent(messageId) {
      runBy = sent.find(({ id }) => id === messageId)?.by
    },
    withRunAuthor(event) {
      const by = runBy
      runBy = undefined
      return by === undefined ? event : { ...event, by }
    },
    withAuthor(event) {
      if (sent.length === 0) return event
      const text = textOf(event)
      const found =
        sent.find(({ id }) => id === event.messageId) ?? sent.find((each) => each.text === text)
      if (!found) return event
      sent = sent.filter((each) => each !== found)
      return { ...event, message: { ...event.message, by: found.by } }
    },
    modelRequested(by) {
      modelBy = authorName(by)
    },
    withModelAuthor(event) {
      if (modelBy === undefined || event.model === undefined) return event
      const by = modelBy
      modelBy = undefined
      return { ...event, by }
    },
  }
}

const textOf = ({ message }: EventOf<'message_end'>): string =>
  message.content
    .map((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .join('')
