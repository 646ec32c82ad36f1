import type { StampedEvent } from '../../events/types.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Log } from '../../log/log.ts'
import { createAccountKeeper } from './account.ts'
import { createRecorder } from './recorder.ts'
import { storeApprovals } from './store-approvals.ts'
import { createBlobStorer } from './store-blobs.ts'

export interface SessionRecorderOptions {
  log: Log
  sessionId: string
  /** The last seq that is in the log. */
  after: number
  /** The account that follows from the events. */
  ledger: Ledger
  now(): number
  publish(event: StampedEvent): void
  onFailure(cause: unknown): void
}

/** A recorder over the log, with what is kept beside events: large output, requests, the account. */
export const createSessionRecorder = (options: SessionRecorderOptions) => {
  const { log, sessionId, after, now, publish, onFailure } = options
  const blobs = createBlobStorer(log, sessionId)
  const account = createAccountKeeper(log, sessionId, options)
  /** The last seq that the log was asked to keep. */
  let asked = after

  /** Keeps a batch with all that belongs to it, in the order of the asking. */
  const appendAll = async (events: readonly StampedEvent[], last: number): Promise<void> => {
    // No event is durable before what it points at.
    await blobs.stored()
    await log.append(sessionId, events)
    // The events are kept, so they are told, whatever becomes of what is beside them.
    await Promise.all([account.write(last), storeApprovals(log, events)]).catch(onFailure)
  }

  const recorder = createRecorder({
    sessionId,
    after,
    now,
    prepare: blobs.take,
    append(events) {
      asked = events.at(-1)?.seq ?? asked
      // Most batches are nothing but events, and many a second: they wait for one thing only.
      const isPlain = blobs.isEmpty() && !account.isDue(asked) && !events.some(isApproval)
      return isPlain ? log.append(sessionId, events) : appendAll(events, asked)
    },
    publish,
    onFailure,
  })

  return {
    ...recorder,
    /** Keeps the account as it stands behind the last event. */
    keepAccount(): void {
      const seq = recorder.last()
      account.take(seq)
      // Otherwise it goes along with the events that it stands behind.
      if (seq <= asked) account.write(seq).catch(onFailure)
    },
  }
}

const isApproval = ({ type }: StampedEvent): boolean =>
  type === 'approval_request' || type === 'approval_resolved'
