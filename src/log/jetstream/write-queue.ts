import { finishesWithin } from '../../shared/finishes-within.ts'
import type { WriteQueue } from '../write-queue.ts'
import type { OwnedBlobStore } from './blobs.ts'
import type { OwnedEventStore } from './events.ts'
import type { Journal } from './journal.ts'
import { patiently } from './patiently.ts'

export interface WriteQueueParts {
  events: Pick<OwnedEventStore, 'append' | 'settled'>
  blobs: Pick<OwnedBlobStore, 'put'>
  journal: Journal
  onError(cause: unknown): void
}

/** How long the cluster has to store what waits, before the journal is used. */
const storeMs = 2000
/** How long a journal may take that cannot be written at first. */
const flushMs = 8000

export const createWriteQueue = ({
  events,
  blobs,
  journal,
  onError,
}: WriteQueueParts): WriteQueue => ({
  append: events.append,
  async putBlob(sessionId, bytes, mimeType) {
    const copy = bytes.slice()
    const held = journal.hold({
      ...{ kind: 'blob', sessionId, bytes: copy },
      ...(mimeType !== undefined && { mimeType }),
    })
    try {
      const ref = await patiently(() => blobs.put(sessionId, copy, mimeType))
      journal.stored(held)
      return ref
    } catch (cause) {
      journal.failed(held, cause)
      throw cause
    }
  },
  isFull: () => journal.problem() !== undefined,
  onFull: (listener) => journal.onProblem(() => listener(journal.problem() !== undefined)),
  flushed: (sessionId) => flushWrites({ events, journal, onError }, sessionId),
})

/** Waits until the writes of a session, or all, are stored or in the journal; not for ever. */
export const flushWrites = async (
  { events, journal, onError }: Pick<WriteQueueParts, 'events' | 'journal' | 'onError'>,
  sessionId?: string,
): Promise<void> => {
  const settled = events.settled(sessionId)
  if (await finishesWithin(settled, storeMs)) return
  if (await finishesWithin(journal.flush(sessionId), flushMs)) return
  const whose = sessionId === undefined ? '' : ` of session ${sessionId}`
  onError(new Error(`The last events${whose} are lost: neither NATS nor the journal stored them.`))
}
