import { createStamp } from '../../events/stamp.ts'
import type { AgentEvent, StampedEvent } from '../../events/types.ts'
import { jsonSize } from '../../log/blobs/size.ts'
import { Fault } from '../../shared/fault.ts'
import { createJoiner } from './joiner.ts'

export interface RecorderOptions {
  sessionId: string
  /** The last seq that is in the log. */
  after: number
  now(): number
  /** Makes an event light enough to be kept and told. */
  prepare?(event: AgentEvent): AgentEvent
  /** Keeps a batch; when it settles, the batch is durable. */
  append(events: readonly StampedEvent[]): Promise<void>
  /** Tells readers, in order, of what is durable. */
  publish(event: StampedEvent): void
  /** The log failed: nothing more can be told, since nobody could read it again. */
  onFailure(cause: unknown): void
  /** How much may wait while the log writes. */
  limits?: GatherLimits
}

export interface GatherLimits {
  events: number
  bytes: number
}

const defaultLimits: GatherLimits = { events: 50_000, bytes: 64 * 1024 * 1024 }
/** So few are not weighed: it is done only where the log falls behind. */
const unweighed = 256

/**
 * Log first, then tell. Whoever pushes never waits: while one batch is being written, the next one
 * gathers, so a slow disk makes larger batches and holds nobody up. One that falls too far behind has
 * failed: an agent cannot be made to wait.
 */
export const createRecorder = (options: RecorderOptions) => {
  const { limits = defaultLimits } = options
  const stamp = createStamp(options.sessionId, options.now, options.after)
  let gathered: StampedEvent[] = []
  /** What the events behind the first few weigh. */
  let weight = 0
  let isWriting = false
  let failed = false
  let last = options.after
  /** Those who wait until nothing is being written. */
  let rested: PromiseWithResolvers<void> | undefined

  // Callbacks instead of async functions: this is done for every batch, and half as dear.
  const writeNext = (): void => {
    if (gathered.length === 0 || failed) {
      isWriting = false
      rested?.resolve()
      rested = undefined
      return
    }
    const batch = gathered
    gathered = []
    weight = 0
    options.append(batch).then(
      () => {
        for (const event of batch) options.publish(event)
        writeNext()
      },
      (cause: unknown) => {
        fail(cause)
        writeNext()
      },
    )
  }

  const fail = (cause: unknown): void => {
    if (failed) return
    failed = true
    gathered = []
    options.onFailure(cause)
  }

  /** What is being written will be told; what waits is too much. */
  const checkLimits = (): void => {
    if (gathered.length > limits.events || weight > limits.bytes)
      fail(new Fault('log_too_slow', `The log is ${gathered.length} events behind.`))
  }

  const begin = (): void => {
    if (isWriting) return
    isWriting = true
    queueMicrotask(writeNext) // so that all events of one chunk make one batch
  }

  const joiner = createJoiner((events) => {
    if (failed) return
    for (const event of events) {
      const stamped = stamp(options.prepare?.(event) ?? event)
      gathered.push(stamped)
      if (gathered.length > unweighed) weight += jsonSize(stamped)
    }
    last += events.length
    begin()
    if (gathered.length > unweighed) checkLimits()
  })

  /** Settles when everything pushed so far is durable and told. */
  const settled = async (): Promise<void> => {
    joiner.flush()
    if (!isWriting) return
    rested ??= Promise.withResolvers()
    await rested.promise
  }

  return {
    push(events: readonly AgentEvent[]): void {
      for (const event of events) joiner.push(event)
    },
    settled,
    /** The seq of the last event that was stamped. */
    last: () => last,
    async close(): Promise<void> {
      joiner.close()
      await settled()
    },
  }
}
export type Recorder = ReturnType<typeof createRecorder>
