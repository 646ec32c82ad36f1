import { randomUUID } from 'node:crypto'
import type { PromptImage } from '../../agents/live.ts'
import type { AgentEvent, Queued } from '../../events/types.ts'
import type { QueuedMessage } from './receipts.ts'
import type { CommandResult } from './session.ts'

export const newMessage = (text: string, images: PromptImage[] | undefined): QueuedMessage => ({
  id: randomUUID(),
  text,
  ...(images && { images }),
})

/** How many messages may be queued, including those that the agent holds. */
const maxQueued = 100

export const queueFull: CommandResult = {
  outcome: 'refused',
  error: `The queue is full: ${maxQueued} messages are waiting. Try again when the agent has read some.`,
}

/**
 * Messages that the agent has not accepted yet. Follow-ups are sent when the run has ended: until then
 * they are certainly not sent, for every agent. Steering messages have been sent; the agent echoes each
 * when it accepts it. An agent that has its own queue reports the messages in it itself.
 */
export interface Queue {
  /** Adds a message that is sent at once. */
  steer(message: QueuedMessage): void
  /** Adds a message that is sent after the run. */
  followUp(message: QueuedMessage): void
  /**
   * Removes a message that the agent has accepted. True if the message had been requeued: the agent
   * accepted it although its run was aborted.
   */
  accepted(id: string): boolean
  /** Ids of the messages that were sent and not accepted yet. */
  sent(): string[]
  /** Puts the sent messages back in front of the follow-ups, because their run was aborted. */
  requeueSent(): void
  /** Puts a message back in front of the follow-ups, because it could not be sent. */
  putBack(message: QueuedMessage): void
  /** Removes the next follow-up and returns it. */
  next(): QueuedMessage | undefined
  /** Stores which messages the agent holds in its own queue, and emits the queue. */
  heldByAgent(queued: Queued): void
  /** Emits the queue again, unless it is empty. */
  emitAgain(): void
  /** Drops what ended with the agent: what it held or had been sent. Returns the number. */
  dropSent(): number
  isFull(): boolean
  /** The number of messages in this queue. */
  size(): number
  /** The number of messages, including those that the agent holds. */
  totalSize(): number
}

export const createQueue = (
  emit: (event: AgentEvent) => void,
  stored: readonly QueuedMessage[] = [],
): Queue => {
  let steering: QueuedMessage[] = []
  let followUp: QueuedMessage[] = [...stored]
  let held: Queued = nothing
  /** Ids that the last aborted run left behind. */
  let requeued = new Set<string>()

  const update = (next: { steering?: QueuedMessage[]; followUp?: QueuedMessage[] }): void => {
    steering = next.steering ?? steering
    followUp = next.followUp ?? followUp
    const queued = {
      steering: [...held.steering, ...steering.map(textOf)],
      followUp: [...held.followUp, ...followUp.map(textOf)],
    }
    emit({ type: 'queue_update', queued })
  }
  const size = () => steering.length + followUp.length
  const totalSize = () => queueSize(held) + size()

  return {
    steer: (message) => update({ steering: [...steering, message] }),
    followUp: (message) => update({ followUp: [...followUp, message] }),
    accepted(id) {
      const isOther = (message: QueuedMessage) => message.id !== id
      if (!steering.every(isOther) || !followUp.every(isOther))
        update({ steering: steering.filter(isOther), followUp: followUp.filter(isOther) })
      return requeued.has(id)
    },
    sent: () => steering.map(({ id }) => id),
    requeueSent() {
      requeued = new Set(steering.map(({ id }) => id))
      if (steering.length > 0) update({ steering: [], followUp: [...steering, ...followUp] })
    },
    putBack: (message) => update({ followUp: [message, ...followUp] }),
    next() {
      const [first, ...rest] = followUp
      if (!first) return undefined
      update({ followUp: rest })
      requeued.delete(first.id)
      return first
    },
    heldByAgent(queued) {
      held = queued
      update({})
    },
    emitAgain() {
      if (size() > 0) update({})
    },
    dropSent() {
      const count = queueSize(held) + steering.length
      held = nothing
      if (count > 0) update({ steering: [] })
      return count
    },
    isFull: () => totalSize() >= maxQueued,
    size,
    totalSize,
  }
}

const nothing: Queued = { steering: [], followUp: [] }

/** How many messages a queue holds. */
export const queueSize = ({ steering, followUp }: Queued): number =>
  steering.length + followUp.length

const textOf = ({ text }: QueuedMessage) => text
