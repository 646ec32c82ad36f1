import { textWithFiles } from '../../agents/attached-files.ts'
import type { PromptFile, PromptImage } from '../../agents/live.ts'
import type { Actor, EventOf, StampedEvent } from '../../events/types.ts'
import type { CommandOutcome, CommandStore } from '../../log/log.ts'
import type { CommandKey, CommandKind, CommandRecord } from '../../log/types.ts'
import { defined } from '../../shared/fields.ts'
import { authorName } from './authors.ts'
import { contentOf, messageText } from './deliveries.ts'

/** A message for the agent. */
export interface QueuedMessage {
  id: string
  text: string
  images?: PromptImage[]
  files?: PromptFile[]
}

/** A message that was accepted, and whose author events show. */
export interface AcceptedMessage extends QueuedMessage {
  by?: string
}

/** What a message needs to be stored. */
export interface NewReceipt {
  kind: CommandKind
  /** `queued`: it is not sent yet. */
  state: CommandRecord['state']
  by?: Actor | undefined
  /** How the same request is recognised when it is sent again. */
  once?: OnceKey | undefined
}

/** The key of a request, and the seq of the last event before the request. */
export interface OnceKey extends CommandKey {
  seq: number
}

/**
 * The messages that were accepted and that the events do not show yet. Each is stored before it is
 * sent or queued, so that none is lost with the process, and none is sent twice.
 */
export interface Receipts {
  /** Stores a message. It may be sent or queued when this resolves. */
  add(message: QueuedMessage, receipt: NewReceipt): Promise<void>
  /** The sender got its result, and the audit has it. */
  answered(id: string): void
  /** The message was refused: it leaves no trace, and its key can be used again. Rejects if the log fails. */
  refused(id: string): Promise<void>
  /** Stores that a queued message is about to be sent. It may be sent when this resolves. */
  sending(id: string, kind?: CommandKind): Promise<void>
  /** Stores another text of a queued message. */
  edited(id: string, text: string): Promise<void>
  /** Stores that a person removed a message from the queue: it is not sent. */
  removed(id: string): Promise<void>
  /** Stores that messages are queued again, because the agent did not get to them. */
  requeued(ids: readonly string[]): void
  /** The author of a message. */
  authorOf(id: string): string | undefined
  /** A message with its author. */
  messageOf(id: string): AcceptedMessage | undefined
  /** The events show the message. `message_delivery` says what becomes of it. */
  shown(id: string): void
  /** A complete message of a user, with its command and its author. */
  withCommand(event: EventOf<'message_end'>): EventOf<'message_end'>
  /** The run has ended: the agent has read what it was sent, unless it holds it. */
  runEnded(holdsMessages: boolean): void
  /** Removes and returns the messages that were sent and that no event shows. */
  takeUnconfirmed(): AcceptedMessage[]
  /** An event is durable: what it shows needs no receipt any more. */
  stored(event: StampedEvent): void
}

/** The event that shows what became of a message. */
type ShownBy = 'message_end' | 'message_delivery' | 'agent_end'

interface Entry extends AcceptedMessage {
  kind: CommandKind
  isQueued: boolean
  /** Its sender has the result. */
  isAnswered: boolean
  /** An event shows what became of it; that event may not be durable yet. */
  shown: ShownBy | undefined
  isStored: boolean
  outcome: CommandOutcome
}

export interface ReceiptsOptions {
  sessionId: string
  store: Pick<CommandStore, 'add' | 'setState' | 'setText' | 'close' | 'remove'>
  now(): number
  /** The seq of the last event. */
  lastSeq(): number
  /** Messages of the agent’s users have ids of its own: they are recognised by their text. */
  hasOwnIds: boolean
  /** The messages that were queued when the session was last in memory. */
  queued?: readonly AcceptedMessage[] | undefined
  /** Receives errors of the store. What it does not know is found in the events after a crash. */
  onError(cause: unknown): void
}

export const createReceipts = (options: ReceiptsOptions): Receipts => {
  const { store, onError } = options
  /** In the order in which they were accepted. */
  const entries = new Map<string, Entry>(
    options.queued?.map((message) => [message.id, queuedEntry(message)]),
  )

  const closeIfDone = (entry: Entry): void => {
    if (!entry.isAnswered || !entry.isStored) return
    entries.delete(entry.id)
    store.close([entry.id], entry.outcome).catch(onError)
  }

  const unconfirmed = (): Entry[] =>
    [...entries.values()].filter(({ isQueued, shown }) => !isQueued && shown === undefined)

  return {
    async add(message, { kind, state, by, once }) {
      entries.set(message.id, newEntry(message, kind, state, by))
      try {
        await store.add(recordOf(message, { kind, state, by, once }, options))
      } catch (cause) {
        entries.delete(message.id)
        throw cause
      }
    },
    answered(id) {
      const entry = entries.get(id)
      if (entry) closeIfDone(Object.assign(entry, { isAnswered: true }))
    },
    async refused(id) {
      // Without an entry, it was never stored.
      if (entries.delete(id)) await store.remove([id])
    },
    ...queueReceipts(entries, options),
    authorOf: (id) => entries.get(id)?.by,
    messageOf(id) {
      const entry = entries.get(id)
      return entry && messageOf(entry)
    },
    shown(id) {
      const entry = entries.get(id)
      if (entry) entry.shown = 'message_delivery'
    },
    withCommand(event) {
      const known = entries.get(event.messageId)
      const entry = known ?? findByText(unconfirmed(), event, options)
      if (!entry) return event
      entry.shown = 'message_end'
      const { id, by } = entry
      // An agent may echo several messages in one, and a command in words of its own.
      const isOwnText = known !== undefined || entry.files !== undefined
      const content = isOwnText ? contentOf(entry) : event.message.content
      const message = { ...event.message, content, delivery: 'taken' as const, ...defined({ by }) }
      return { ...event, message, commandId: id }
    },
    runEnded(holdsMessages) {
      for (const entry of unconfirmed())
        if (entry.kind !== 'steer' || !holdsMessages) entry.shown = 'agent_end'
    },
    takeUnconfirmed() {
      const taken = unconfirmed().filter(({ isAnswered }) => isAnswered)
      for (const entry of taken)
        Object.assign(entry, { shown: 'message_end', outcome: 'interrupted' })
      return taken.map(messageOf)
    },
    stored(event) {
      if (!isShowing(event)) return
      for (const entry of entries.values())
        if (isShownBy(entry, event)) {
          entry.isStored = true
          if (event.type === 'message_delivery' && event.state === 'failed')
            entry.outcome = 'interrupted'
          closeIfDone(entry)
        }
    },
  }
}

/** What is stored about messages in the queue. */
const queueReceipts = (
  entries: Map<string, Entry>,
  { store, onError }: ReceiptsOptions,
): Pick<Receipts, 'sending' | 'edited' | 'removed' | 'requeued'> => ({
  async sending(id, kind) {
    const change = { isQueued: false, isAnswered: false, ...defined({ kind }) }
    Object.assign(entries.get(id) ?? {}, change)
    await store.setState([id], 'sent')
  },
  async edited(id, text) {
    Object.assign(entries.get(id) ?? {}, { text })
    await store.setText(id, text)
  },
  async removed(id) {
    entries.delete(id)
    await store.close([id], 'removed')
  },
  requeued(ids) {
    for (const id of ids) Object.assign(entries.get(id) ?? {}, { isQueued: true, isAnswered: true })
    if (ids.length > 0) store.setState(ids, 'queued').catch(onError)
  },
})

const isShowing = (event: StampedEvent): event is StampedEvent & EventOf<ShownBy> =>
  event.type === 'message_end' || event.type === 'message_delivery' || event.type === 'agent_end'

const isShownBy = (entry: Entry, event: EventOf<ShownBy>): boolean =>
  entry.shown === event.type && (event.type === 'agent_end' || event.commandId === entry.id)

const newEntry = (
  message: QueuedMessage,
  kind: CommandKind,
  state: CommandRecord['state'],
  by: Actor | undefined,
): Entry => ({
  ...message,
  ...defined({ by: authorName(by) }),
  kind,
  isQueued: state === 'queued',
  isAnswered: false,
  shown: undefined,
  isStored: false,
  outcome: 'accepted',
})

const queuedEntry = (message: AcceptedMessage): Entry => ({
  ...message,
  kind: 'follow_up',
  isQueued: true,
  isAnswered: true,
  shown: undefined,
  isStored: false,
  outcome: 'accepted',
})

const messageOf = ({ id, text, images, files, by }: Entry): AcceptedMessage => ({
  id,
  text,
  ...defined({ images, files, by }),
})

const recordOf = (
  { id, text, images, files }: QueuedMessage,
  { kind, state, by, once }: NewReceipt,
  { sessionId, now, lastSeq }: ReceiptsOptions,
): CommandRecord => ({
  id,
  sessionId,
  kind,
  state,
  text,
  seq: once?.seq ?? lastSeq(),
  createdAt: now(),
  ...defined({ images, files, by, receipt: once && { key: once.key, hash: once.hash } }),
})

/** An agent that gives messages ids of its own may also expand a command: then its text is another. */
const findByText = (
  sent: readonly Entry[],
  event: EventOf<'message_end'>,
  { hasOwnIds }: Pick<ReceiptsOptions, 'hasOwnIds'>,
): Entry | undefined => {
  if (sent.length === 0 || event.parentToolCallId !== undefined) return undefined
  const text = messageText(event)
  const same = sent.find((entry) => textWithFiles(entry) === text)
  return same ?? (hasOwnIds ? sent.find((entry) => entry.text.startsWith('/')) : undefined)
}
