import { createStamp } from '../../events/stamp.ts'
import type { AgentEvent, StampedEvent } from '../../events/types.ts'
import { jsonSize } from '../../log/blobs/size.ts'
import { Fault } from '../../shared/fault.ts'
import { createJoiner } from './joiner.ts'

export interface RecorderOptions {
  sessionId: string
  /** The seq of the last stored event. */
  after: number
  now(): number
  /** Makes an event small enough to be stored and published. */
  prepare?(event: AgentEvent): AgentEvent
  /** Stores a batch; resolves when the batch is durable. */
  append(events: readonly StampedEvent[]): Promise<void>
  /** Called for each event, in order, once it is durable. */
  publish(event: StampedEvent): void
  /** Called once, when the log fails. Later events are dropped: nobody could read them again. */
  onFailure(cause: unknown): void
  /** How much may wait while the log writes. */
  limits?: BacklogLimits
}

export interface BacklogLimits {
  events: number
  bytes: number
}

const defaultLimits: BacklogLimits = { events: 50_000, bytes: 64 * 1024 * 1024 }
/** Up to so many waiting events are not measured: measuring pays only if the log falls behind. */
const unmeasured = 256

/**
 * Stamps events, stores them, and then publishes them. Pushing never waits: while one batch is
 * written, the next one gathers, so a slow disk makes larger batches and delays nobody. A log that
 * falls too far behind has failed, because an agent cannot be made to wait.
 */
export interface Recorder {
  push(events: readonly AgentEvent[]): void
  /** Resolves when everything pushed so far is durable and published. */
  settled(): Promise<void>
  /** The seq of the last event that was stamped. */
  lastSeq(): number
  /** Waits like `settled`. Nothing may be pushed afterwards. */
  close(): Promise<void>
}

export const createRecorder = (options: RecorderOptions): Recorder => {
  const { limits = defaultLimits } = options
  const stamp = createStamp(options.sessionId, options.now, options.after)
  let gathered: StampedEvent[] = []
  /** The size of the gathered events, without the first few. */
  let bytes = 0
  let isWriting = false
  let hasFailed = false
  let lastSeq = options.after
  /** Resolved when nothing is being written any more. */
  let allWritten: PromiseWithResolvers<void> | undefined

  // Callbacks, not async functions: this runs once per batch, and promises doubled its cost.
  const writeNext = (): void => {
    if (gathered.length === 0 || hasFailed) {
      isWriting = false
      allWritten?.resolve()
      allWritten = undefined
      return
    }
    const batch = gathered
    gathered = []
    bytes = 0
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
    if (hasFailed) return
    hasFailed = true
    gathered = []
    options.onFailure(cause)
  }

  /** The batch that is being written is still published; what waits behind it is dropped. */
  const checkLimits = (): void => {
    if (gathered.length > limits.events || bytes > limits.bytes)
      fail(new Fault('log_too_slow', tooSlow(gathered.length)))
  }

  const startWriting = (): void => {
    if (isWriting) return
    isWriting = true
    queueMicrotask(writeNext) // so that all events of one chunk make one batch
  }

  const joiner = createJoiner((events) => {
    if (hasFailed) return
    for (const event of events) {
      const stamped = stamp(options.prepare?.(event) ?? event)
      gathered.push(stamped)
      if (gathered.length > unmeasured) bytes += jsonSize(stamped)
    }
    lastSeq += events.length
    startWriting()
    if (gathered.length > unmeasured) checkLimits()
  })

  const settled = async (): Promise<void> => {
    joiner.flush()
    if (!isWriting) return
    allWritten ??= Promise.withResolvers()
    await allWritten.promise
  }

  return {
    push(events) {
      for (const event of events) joiner.push(event)
    },
    settled,
    lastSeq: () => lastSeq,
    async close() {
      joiner.close()
      await settled()
    },
  }
}

const tooSlow = (count: number): string =>
  `The log cannot keep up: ${count} events are waiting to be written.`
