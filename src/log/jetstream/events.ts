import { checksumOf } from '../checksum.ts'
import { type EventBatch, serializeEvents } from '../event-batch.ts'
import type { EventStore, TextPage } from '../log.ts'
import { parsePages } from '../read-pages.ts'
import { type SpendingUpdate, spendingIn } from '../spending-update.ts'
import type { WriteQueue } from '../write-queue.ts'
import type { JetStreamContext } from './context.ts'
import { createEventLane, type EventLane } from './event-lane.ts'
import { readEvents } from './event-reader.ts'
import { createEventTopic, type EventTopic } from './event-topic.ts'
import { createLargeEvents } from './large-events.ts'
import { unlessClosed } from './patiently.ts'
import { createPositions } from './positions.ts'
import { createUnfinished } from './unfinished.ts'

/** Called when events are stored that change the sums of tokens and cost. `last` is the last event. */
export type AddSpending = (
  sessionId: string,
  updates: readonly SpendingUpdate[],
  last: number,
) => Promise<void>

/** The events, with what only the log calls. */
export interface OwnedEventStore extends EventStore {
  append: WriteQueue['append']
  /** Deletes the events of a session. */
  purge(sessionId: string): Promise<void>
  /** Forgets the end of a session: another node may have written since. */
  forget(sessionId: string): void
  /** The same, when what was appended is stored: another node writes next. */
  leave(sessionId: string): Promise<void>
  /** Resolves when every append to a session, or to all, has ended. */
  settled(sessionId?: string): Promise<void>
}

/** Events in the stream of a tenant, one subject per session. */
export const createEventStore = (
  context: JetStreamContext,
  addSpending: AddSpending,
): OwnedEventStore => {
  const { journal, requireSession, ensureOpen } = context
  const positions = createPositions()
  const lanes = new Map<string, EventLane>()
  const sums = createSums(addSpending, context.onError)
  const appends = createUnfinished()
  const topicOf = (sessionId: string): EventTopic => createEventTopic(sessionId, context)
  const large = createLargeEvents(context)
  const laneOptions = { ...context, noteObject: large.note }
  const laneOf = (sessionId: string): EventLane => {
    const lane = lanes.get(sessionId) ?? createEventLane(topicOf(sessionId), laneOptions)
    lanes.set(sessionId, lane)
    return lane
  }
  const store = async (
    sessionId: string,
    batch: EventBatch,
    updates: readonly SpendingUpdate[],
    ready: Promise<unknown> | undefined,
  ): Promise<void> => {
    requireSession(sessionId)
    const { first, texts } = batch
    if (texts.length === 0) return
    const held = journal.hold({ kind: 'events', sessionId, first, texts })
    try {
      await laneOf(sessionId).append(batch, ready)
      journal.stored(held)
    } catch (cause) {
      journal.failed(held, cause)
      throw cause
    }
    await sums.add(sessionId, batch, updates)
  }

  const forget = (sessionId: string): void => {
    lanes.delete(sessionId)
    sums.forget(sessionId)
  }

  async function* readText(sessionId: string, after: number, limit = Number.POSITIVE_INFINITY) {
    ensureOpen()
    yield* readEvents(topicOf(sessionId), positions, { after, limit })
  }

  return {
    async append(sessionId, events, ready) {
      ensureOpen()
      const batch = serializeEvents(sessionId, events)
      await appends.add(sessionId, store(sessionId, batch, spendingIn(events), ready))
    },
    read: (sessionId, after, limit) => parsePages(readText(sessionId, after, limit)),
    readText,
    async head(sessionId) {
      ensureOpen()
      const last = await topicOf(sessionId).last()
      return last ? last.first + last.count - 1 : 0
    },
    async checksumAt(sessionId, seq) {
      ensureOpen()
      if (!Number.isSafeInteger(seq) || seq < 1) return undefined
      for await (const { texts } of readText(sessionId, seq - 1, 1))
        return checksumOf(texts[0] ?? '')
      return undefined
    },
    eventBytes: (sessionId, after, last) => bytesIn(readText(sessionId, after, last - after)),
    async purge(sessionId) {
      await topicOf(sessionId).purge()
      await large.removeOf(sessionId)
      forget(sessionId)
      positions.forget(sessionId)
    },
    forget,
    leave: (sessionId) => appends.settled(sessionId).then(() => forget(sessionId)),
    settled: appends.settled,
  }
}

/**
 * Adds what appends have used to the sums. The events are stored by then, so their append never fails because of
 * the sums: readers would miss them.
 */
const createSums = (addSpending: AddSpending, onError: (cause: unknown) => void) => {
  /** The sessions whose sums include all events. */
  const complete = new Set<string>()
  const add: AddSpending = (...spent) => addSpending(...spent).catch(unlessClosed(onError))
  return {
    async add(sessionId: string, { first, texts }: EventBatch, updates: readonly SpendingUpdate[]) {
      const last = first + texts.length - 1
      // The last writer may have died before it stored its sums.
      const isTakenOver = first > 1 && !complete.has(sessionId)
      complete.add(sessionId)
      if (updates.length > 0) await add(sessionId, updates, last)
      else if (isTakenOver) void add(sessionId, [], last)
    },
    forget: (sessionId: string) => void complete.delete(sessionId),
  }
}

const bytesIn = async (pages: AsyncIterable<TextPage>): Promise<number> => {
  let sum = 0
  for await (const { texts } of pages) for (const text of texts) sum += Buffer.byteLength(text)
  return sum
}
