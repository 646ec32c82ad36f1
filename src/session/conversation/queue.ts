import { randomUUID } from 'node:crypto'
import { textWithFiles } from '../../agents/attached-files.ts'
import type { PromptFile, PromptImage } from '../../agents/live.ts'
import type { AgentEvent, Queued, QueueItem } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { AcceptedMessage, QueuedMessage } from './receipts.ts'
import type { CommandResult } from './session.ts'

/** What a message has beside its text, as the agent gets it. */
export interface Attachments {
  images?: PromptImage[] | undefined
  files?: PromptFile[] | undefined
}

export const newMessage = (text: string, { images, files }: Attachments = {}): QueuedMessage => ({
  id: randomUUID(),
  text,
  ...defined({ images, files }),
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
  /** Recognises a message in the agent’s own queue by its text, so that its item has its id. */
  expectHeld(message: QueuedMessage): void
  /** The messages of this session that the agent has in its own queue. */
  held(): readonly QueuedMessage[]
  /** The messages, in the order of delivery. */
  items(): QueueItem[]
  /** Whether a follow-up with this id waits. */
  isWaiting(id: string): boolean
  /** Replaces the text of a follow-up. */
  edit(id: string, text: string): void
  /** Removes a message and returns it; undefined if it is not in this queue. */
  remove(id: string): QueuedMessage | undefined
  /** Puts a follow-up in front of the others. */
  moveToFront(id: string): void
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

export interface QueueOptions {
  emit(event: AgentEvent): void
  /** The messages that were queued when the session was last in memory. */
  stored?: readonly QueuedMessage[] | undefined
  /** Who sent a message. */
  authorOf?(id: string): string | undefined
}

export const createQueue = ({ emit, stored = [], authorOf }: QueueOptions): Queue => {
  let steering: QueuedMessage[] = []
  let followUp: QueuedMessage[] = [...stored]
  const held = createHeldMessages()
  /** Ids that the last aborted run left behind. */
  let requeued = new Set<string>()

  const items = (): QueueItem[] =>
    [
      ...held.items('steer'),
      ...steering.map((each) => itemOf(each, 'steer', 'sent')),
      ...held.items('follow_up'),
      ...followUp.map((each) => itemOf(each, 'follow_up', 'waiting')),
    ].map((item) => ({ ...item, ...defined({ by: item.id && authorOf?.(item.id) }) }))
  const update = (next: { steering?: QueuedMessage[]; followUp?: QueuedMessage[] }): void => {
    steering = next.steering ?? steering
    followUp = next.followUp ?? followUp
    emit({ type: 'queue_update', queued: queuedOf(items()) })
  }
  const remove = (id: string): QueuedMessage | undefined => {
    const found = [...steering, ...followUp].find((each) => each.id === id)
    if (found) update({ steering: without(steering, id), followUp: without(followUp, id) })
    return found
  }
  const size = () => steering.length + followUp.length
  const totalSize = () => held.size() + size()

  return {
    steer: (message) => update({ steering: [...steering, message] }),
    followUp: (message) => update({ followUp: [...followUp, message] }),
    expectHeld: held.expect,
    held: held.messages,
    items,
    isWaiting: (id) => followUp.some((each) => each.id === id),
    edit: (id, text) =>
      update({ followUp: followUp.map((each) => (each.id === id ? { ...each, text } : each)) }),
    remove,
    moveToFront: (id) => update({ followUp: inFront(followUp, id) }),
    accepted(id) {
      remove(id)
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
      held.set(queued)
      update({})
    },
    emitAgain() {
      if (size() > 0) update({})
    },
    dropSent() {
      const count = held.size() + steering.length
      held.clear()
      if (count > 0) update({ steering: [] })
      return count
    },
    isFull: () => totalSize() >= maxQueued,
    size,
    totalSize,
  }
}

const without = (messages: readonly QueuedMessage[], id: string): QueuedMessage[] =>
  messages.filter((message) => message.id !== id)

const inFront = (messages: readonly QueuedMessage[], id: string): QueuedMessage[] => [
  ...messages.filter((message) => message.id === id),
  ...without(messages, id),
]

const nothing: Queued = { steering: [], followUp: [] }

/** The messages in the agent’s own queue, which has only their texts. */
const createHeldMessages = () => {
  let texts = nothing
  /** Messages that the agent holds, or will hold. */
  let expected: QueuedMessage[] = []

  return {
    expect(message: QueuedMessage): void {
      expected = [...expected, message]
    },
    messages: () => expected,
    set(queued: Queued): void {
      const before = new Set(textsIn(texts))
      const now = new Set(textsIn(queued))
      // The agent has read a message that it held before and does not hold now.
      expected = expected.filter((message) => {
        const text = textWithFiles(message)
        return !before.has(text) || now.has(text)
      })
      texts = queued
    },
    clear(): void {
      texts = nothing
      expected = []
    },
    items(kind: QueueItem['kind']): QueueItem[] {
      const left = [...expected]
      return texts[kind === 'steer' ? 'steering' : 'followUp'].map((text) => {
        const index = left.findIndex((each) => textWithFiles(each) === text)
        const [found] = index < 0 ? [] : left.splice(index, 1)
        return found ? itemOf(found, kind, 'sent') : { kind, text, state: 'sent' }
      })
    },
    size: () => queueSize(texts),
  }
}

const textsIn = ({ steering, followUp }: Queued): string[] => [...steering, ...followUp]

/** How many messages a queue holds. */
export const queueSize = ({ steering, followUp }: Queued): number =>
  steering.length + followUp.length

/** The queue that these messages make. */
export const queuedOf = (items: QueueItem[]): Queued => {
  const textsOf = (kind: QueueItem['kind']) =>
    items.filter((item) => item.kind === kind).map(({ text }) => text)
  return {
    steering: textsOf('steer'),
    followUp: textsOf('follow_up'),
    ...(items.length > 0 && { items }),
  }
}

/** A message as an item of the queue. */
export const itemOf = (
  { id, text, images, files, by }: AcceptedMessage,
  kind: QueueItem['kind'],
  state: QueueItem['state'],
): QueueItem => ({
  id,
  kind,
  text,
  state,
  ...defined({
    images: images?.length || undefined,
    files: files?.map(({ name }) => name),
    by,
  }),
})
