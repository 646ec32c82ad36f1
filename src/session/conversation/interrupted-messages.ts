import type { AgentEvent, Block } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { AcceptedMessage } from './receipts.ts'

/** What ended before the agent confirmed a message. */
export type Interruption = 'sluice' | 'agent' | 'log'

/**
 * The events that show messages which were accepted and never confirmed: each with its author, and an
 * error that says so. They belong into a run.
 */
export const interruptedMessages = (
  messages: readonly AcceptedMessage[],
  interruption: Interruption,
): AgentEvent[] =>
  messages.length === 0
    ? []
    : [...messages.flatMap(messageEvents), interruptedError(messages.length, interruption)]

/** The same as a run of their own, for a session without an open run. */
export const interruptedRun = (
  messages: readonly AcceptedMessage[],
  interruption: Interruption,
): AgentEvent[] => {
  const [first] = messages
  if (!first) return []
  const { message: errorMessage } = interruptedError(messages.length, interruption)
  return [
    { type: 'agent_start', ...defined({ by: first.by }) },
    ...interruptedMessages(messages, interruption),
    { type: 'agent_end', stopReason: 'interrupted', errorMessage, interrupted: true },
  ]
}

const messageEvents = ({ id, text, images = [], by }: AcceptedMessage): AgentEvent[] => {
  const pictures = images.map((image): Block => ({ type: 'image', ...image }))
  return [
    { type: 'message_start', messageRole: 'user', messageId: id },
    {
      type: 'message_end',
      messageId: id,
      message: { role: 'user', content: [{ type: 'text', text }, ...pictures], ...defined({ by }) },
      commandId: id,
    },
  ]
}

const endings: Readonly<Record<Interruption, string>> = {
  sluice: 'Sluice exited before the agent confirmed',
  agent: 'The agent ended before it confirmed',
  log: 'The log failed before the agent confirmed',
}

const interruptedError = (count: number, interruption: Interruption) => {
  const beginning = endings[interruption]
  const message =
    count === 1
      ? `${beginning} this message. It is not sent again, because the agent may have worked on it. Send it again if you still need it.`
      : `${beginning} these ${count} messages. They are not sent again, because the agent may have worked on them. Send them again if you still need them.`
  return { type: 'error', code: 'message_interrupted', message, fatal: false } as const
}
