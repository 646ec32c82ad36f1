import type { AgentEvent, DeliveryFailure } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import { deliveryEvent, messageEvents } from './deliveries.ts'
import type { AcceptedMessage } from './receipts.ts'

/** What ended before the agent confirmed a message. */
export type Interruption = 'sluice' | 'agent' | 'log'

/** Messages that were accepted and never confirmed. */
export interface UnconfirmedMessages {
  /** No event shows them. */
  hidden: readonly AcceptedMessage[]
  /** Ids of messages that the events show as sent. */
  sent: readonly string[]
}

/**
 * The events that say that messages were never confirmed: each message with its author, and an error.
 * They belong into a run.
 */
export const interruptedMessages = (
  { hidden, sent }: UnconfirmedMessages,
  interruption: Interruption,
): AgentEvent[] => {
  const count = hidden.length + sent.length
  if (count === 0) return []
  const reason = interruptedDelivery(interruption)
  const failed = { delivery: 'failed', errorMessage: reason.message } as const
  return [
    ...hidden.flatMap((message) => messageEvents(message, failed)),
    ...sent.map((id) => deliveryEvent(id, 'failed', reason)),
    { type: 'error', ...interruptedDelivery(interruption, count), fatal: false },
  ]
}

/** The same as a run of their own, for a session without an open run. */
export const interruptedRun = (
  unconfirmed: UnconfirmedMessages,
  interruption: Interruption,
): AgentEvent[] => {
  const { hidden, sent } = unconfirmed
  const count = hidden.length + sent.length
  if (count === 0) return []
  const { message: errorMessage } = interruptedDelivery(interruption, count)
  return [
    { type: 'agent_start', ...defined({ by: hidden[0]?.by }) },
    ...interruptedMessages(unconfirmed, interruption),
    { type: 'agent_end', stopReason: 'interrupted', errorMessage, interrupted: true },
  ]
}

const endings: Readonly<Record<Interruption, string>> = {
  sluice: 'Sluice exited before the agent confirmed',
  agent: 'The agent ended before it confirmed',
  log: 'The log failed before the agent confirmed',
}

/** Why messages failed that the agent may have worked on. */
export const interruptedDelivery = (interruption: Interruption, count = 1): DeliveryFailure => {
  const beginning = endings[interruption]
  const message =
    count === 1
      ? `${beginning} this message. It is not sent again, because the agent may have worked on it. Send it again if you still need it.`
      : `${beginning} these ${count} messages. They are not sent again, because the agent may have worked on them. Send them again if you still need them.`
  return { code: 'message_interrupted', message }
}
