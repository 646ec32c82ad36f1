import type { AgentEvent, StampedEvent } from '../../events/types.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { extractBlobs } from '../../log/blobs/extract-blobs.ts'
import type { Log } from '../../log/log.ts'
import { finishesWithin } from '../../shared/finishes-within.ts'
import { createLedgerCheckpoints } from './ledger-checkpoints.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { storeApprovals } from './store-approvals.ts'

export interface SessionRecorderOptions {
  log: Log
  sessionId: string
  /** The seq of the last stored event. */
  after: number
  /** The ledger of the session, which `checkpoint` stores. */
  ledger: Ledger
  now(): number
  publish(event: StampedEvent): void
  onFailure(cause: unknown): void
}

/** A recorder over the log, which also stores large payloads, approvals and the ledger. */
export interface SessionRecorder extends Recorder {
  /** Stores the ledger as it is after the last event. */
  checkpoint(): void
}

export const createSessionRecorder = (options: SessionRecorderOptions): SessionRecorder => {
  const { log, sessionId, after, now, publish, onFailure } = options
  const blobs = createBlobWriter(log, sessionId, log.queue?.putBlob)
  const checkpoints = createLedgerCheckpoints(log, sessionId, options)
  /** The last seq that was passed to the log. */
  let appended = after

  const { queue } = log
  /** Appends after the blobs: no event may be durable before the blob that it refers to. */
  const appendAfterBlobs = async (events: readonly StampedEvent[]): Promise<void> => {
    if (queue) return queue.append(sessionId, events, blobs.isEmpty() ? undefined : blobs.stored())
    await blobs.stored()
    await log.append(sessionId, events)
  }
  /** Stores a batch with everything that belongs to it, in order. */
  const appendAll = async (events: readonly StampedEvent[], last: number): Promise<void> => {
    await appendAfterBlobs(events)
    // The events are stored and must be published, even if the rest fails or takes long.
    const rest = Promise.all([checkpoints.write(last), storeApprovals(log, events)])
    await finishesWithin(rest.catch(onFailure), restMs)
  }

  const recorder = createRecorder({
    sessionId,
    after,
    now,
    prepare: blobs.extract,
    append(events) {
      appended = events.at(-1)?.seq ?? appended
      // Most batches hold nothing but plain events, many a second: they need one write only.
      const isPlain = blobs.isEmpty() && !checkpoints.isDue(appended) && !events.some(isApproval)
      return isPlain ? (queue ?? log).append(sessionId, events) : appendAll(events, appended)
    },
    publish,
    onFailure,
    queue: queue && { ...queue, flushed: () => queue.flushed(sessionId) },
  })

  return {
    ...recorder,
    checkpoint() {
      const seq = recorder.lastSeq()
      checkpoints.take(seq)
      // Otherwise it is written together with the events before it.
      if (seq <= appended) checkpoints.write(seq).catch(onFailure)
    },
  }
}

/** How long events wait for what is stored beside them: who sees a request also finds its record. */
const restMs = 1000

const isApproval = ({ type }: StampedEvent): boolean =>
  type === 'approval_request' || type === 'approval_resolved'

/** Moves large payloads from events to the blob store, before the events are stamped. */
export interface BlobWriter {
  /** The event with references in place of its large payloads, which are being stored. */
  extract(event: AgentEvent): AgentEvent
  /** Whether `stored` has nothing to wait for. */
  isEmpty(): boolean
  /** Resolves when the payloads extracted so far are stored. */
  stored(): Promise<void>
}

export const createBlobWriter = (
  log: Log,
  sessionId: string,
  put: Log['blobs']['put'] = log.blobs.put,
): BlobWriter => {
  let storing: Promise<unknown>[] = []
  return {
    extract(event) {
      const { event: light, blobs } = extractBlobs(event)
      for (const { bytes, ref } of blobs) {
        const stored = put(sessionId, bytes, ref.mimeType)
        stored.catch(() => {}) // `stored` reports the failure, perhaps much later
        storing.push(stored)
      }
      return light
    },
    isEmpty: () => storing.length === 0,
    async stored() {
      const waiting = storing
      storing = []
      await Promise.all(waiting)
    },
  }
}
