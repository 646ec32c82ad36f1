import type { StampedEvent } from '../../events/types.ts'
import type { Backlog, Batch } from './backlog.ts'

export interface BatchWriterOptions {
  backlog: Pick<Backlog, 'next' | 'written' | 'isLarge'>
  /** Stores a batch; resolves when the batch is durable. */
  append(events: readonly StampedEvent[]): Promise<void>
  /** Called for each event, in order, once it is durable. */
  publish(event: StampedEvent): void
  /** Called when a batch could not be stored. */
  onFailure(cause: unknown): void
  /** Whether a batch may be appended before the one before it is stored. */
  isQueued: boolean
}

/** Passes batches from a backlog to the log, and publishes their events in order. */
export interface BatchWriter {
  /** The backlog has events. */
  start(): void
  /** No more batches are passed to the log. Those that were are still published. */
  stop(): void
  /** Resolves when nothing is being written any more, or when `release` is called. */
  settled(): Promise<void>
  /** Ends all waiting. */
  release(): void
}

interface SentBatch {
  readonly batch: Batch
  isStored: boolean
}

export const createBatchWriter = (options: BatchWriterOptions): BatchWriter => {
  const { backlog, isQueued } = options
  /** The batches that were passed to the log and are not published yet, in order. */
  const sent: SentBatch[] = []
  let isWriting = false
  let isScheduled = false
  let isStopped = false
  /** Resolved when nothing is being written any more. */
  let allWritten: PromiseWithResolvers<void> | undefined

  const release = (): void => {
    allWritten?.resolve()
    allWritten = undefined
  }
  const publishStored = (): void => {
    for (let [first] = sent; first?.isStored; [first] = sent) {
      sent.shift()
      for (const event of first.batch.events) options.publish(event)
      if (!isStopped) backlog.written(first.batch)
    }
  }
  // Callbacks, not async functions: this runs once per batch, and promises doubled its cost.
  const send = (batch: Batch): void => {
    const entry = { batch, isStored: false }
    sent.push(entry)
    options.append(batch.events).then(
      () => {
        entry.isStored = true
        publishStored()
        if (backlog.isLarge()) setImmediate(writeNext)
        else writeNext()
      },
      (cause: unknown) => {
        options.onFailure(cause)
        // Those behind it fail too.
        const index = sent.indexOf(entry)
        if (index !== -1) sent.splice(index)
        writeNext()
      },
    )
  }
  const writeNext = (): void => {
    isScheduled = false
    while (!isStopped && (isQueued || sent.length === 0)) {
      const batch = backlog.next()
      if (!batch) break
      send(batch)
    }
    if (sent.length > 0) return
    isWriting = false
    release()
  }

  return {
    start() {
      if (isScheduled || (isWriting && !isQueued)) return
      isWriting = true
      isScheduled = true
      // Not at once, so that all events of one chunk make one batch. A large event has just taken long
      // to decode, so other work gets its turn before it is serialised.
      if (backlog.isLarge()) setImmediate(writeNext)
      else queueMicrotask(writeNext)
    },
    stop() {
      isStopped = true
    },
    async settled() {
      if (!isWriting) return
      allWritten ??= Promise.withResolvers()
      await allWritten.promise
    },
    release,
  }
}
