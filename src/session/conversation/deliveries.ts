import { textWithFiles } from '../../agents/attached-files.ts'
import type { AgentEvent, Block, DeliveryFailure, EventOf, Message } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { AcceptedMessage } from './receipts.ts'

/**
 * The messages that the events showed before the agent got them. Each is taken or fails once; what
 * the agent echoes of it is not shown again.
 */
export interface Deliveries {
  /** The events that show a message on its way to the agent; none if they were emitted before. */
  show(message: AcceptedMessage): AgentEvent[]
  /** Whether the events show a message. */
  isShown(id: string): boolean
  /** What an echo of a shown message means; undefined if the message is another one. */
  echoed(event: EventOf<'message_end'>): AgentEvent[] | undefined
  /** The agent works, so it has taken the messages that are on their way. */
  taken(): AgentEvent[]
  /** The agent does not get the messages that are on their way. */
  failed(reason: DeliveryFailure): AgentEvent[]
  /** The run has ended: no message is on its way, and an agent with ids of its own echoes none. */
  runEnded(): void
}

interface Delivery {
  id: string
  /** As an agent echoes it that takes nothing but text. */
  text: string
  isOnItsWay: boolean
}

/** How many ids of messages are remembered. An echo comes at the latest with the next messages. */
const rememberedMessages = 1024

/** `hasOwnIds`: the agent gives messages ids of its own, so echoes are recognised by their text. */
export const createDeliveries = (hasOwnIds: boolean): Deliveries => {
  const shown = new Set<string>()
  /** The messages of the run that the agent has not echoed. */
  const expected = new Map<string, Delivery>()

  const settle = (state: 'taken' | 'failed', reason?: DeliveryFailure): AgentEvent[] =>
    [...expected.values()]
      .filter(({ isOnItsWay }) => isOnItsWay)
      .map((delivery) => {
        delivery.isOnItsWay = false
        return deliveryEvent(delivery.id, state, reason)
      })

  const echoOf = (event: EventOf<'message_end'>): string | undefined => {
    if (event.parentToolCallId !== undefined) return undefined
    if (!hasOwnIds && shown.has(event.messageId)) return event.messageId
    const waiting = [...expected.values()]
    const text = messageText(event)
    const same = waiting.find((each) => each.text.trim() === text)
    // Some agents give an id of its own to the echo of a command only.
    if (!hasOwnIds) return text.startsWith('/') ? same?.id : undefined
    // An agent may expand a command: then its text is another one.
    return (same ?? waiting.find((each) => each.text.startsWith('/')))?.id
  }

  return {
    show(message) {
      const { id } = message
      if (shown.has(id)) return []
      shown.add(id)
      const [oldest] = shown.size > rememberedMessages ? shown : []
      if (oldest !== undefined) shown.delete(oldest)
      expected.set(id, { id, text: textWithFiles(message), isOnItsWay: true })
      return messageEvents(message, { delivery: 'sent' })
    },
    isShown: (id) => shown.has(id),
    echoed(event) {
      const id = echoOf(event)
      if (id === undefined) return undefined
      const delivery = expected.get(id)
      expected.delete(id)
      return delivery?.isOnItsWay ? [deliveryEvent(id, 'taken')] : []
    },
    taken: () => settle('taken'),
    failed: (reason) => settle('failed', reason),
    runEnded: () => expected.clear(),
  }
}

/** The event that says what became of a message. Its id is that of its command. */
export const deliveryEvent = (
  id: string,
  state: 'taken' | 'failed',
  reason?: DeliveryFailure,
): AgentEvent => ({
  type: 'message_delivery',
  messageId: id,
  commandId: id,
  state,
  ...defined({ reason }),
})

/** The events that show a message which was sent through Sluice. */
export const messageEvents = (
  message: AcceptedMessage,
  more: Pick<Message, 'delivery' | 'errorMessage'>,
): AgentEvent[] => {
  const { id, by } = message
  return [
    { type: 'message_start', messageRole: 'user', messageId: id },
    {
      type: 'message_end',
      messageId: id,
      message: { role: 'user', content: contentOf(message), ...defined({ by }), ...more },
      commandId: id,
    },
  ]
}

/** The content of a message that was sent through Sluice. */
export const contentOf = ({ text, images = [], files = [] }: AcceptedMessage): Block[] => [
  { type: 'text', text },
  ...images.map((image): Block => ({ type: 'image', ...image })),
  ...files.map((file): Block => ({ type: 'attachedFile', ...file })),
]

/** The text of a message. */
export const messageText = ({ message }: EventOf<'message_end'>): string =>
  message.content
    .map((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .join('')
