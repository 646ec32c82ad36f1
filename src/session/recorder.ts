import type { StampedEvent } from '../events/envelope.ts'
import type { AgentEvent } from '../events/event.ts'
import { createStamp } from '../events/stamp.ts'
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
}

/**
 * Log first, then tell. Whoever pushes never waits: while one batch is being written, the next one
 * gathers, so a slow disk makes larger batches and holds nobody up.
 */
export const createRecorder = (options: RecorderOptions) => {
  const stamp = createStamp(options.sessionId, options.now, options.after)
  let gathered: StampedEvent[] = []
  let writing: Promise<void> | undefined
  let failed = false

  const write = async (): Promise<void> => {
    while (gathered.length > 0 && !failed) {
      const batch = gathered
      gathered = []
      try {
        await options.append(batch)
      } catch (cause) {
        failed = true
        options.onFailure(cause)
        return
      }
      for (const event of batch) options.publish(event)
    }
  }

  const begin = (): Promise<void> => {
    // One turn of the loop later, so that all events of one chunk make one batch.
    writing ??= Promise.resolve()
      .then(write)
      .finally(() => {
        writing = undefined
      })
    return writing
  }

  const joiner = createJoiner((events) => {
    if (failed) return
    for (const event of events) gathered.push(stamp(options.prepare?.(event) ?? event))
    void begin()
  })

  return {
    push(events: readonly AgentEvent[]): void {
      for (const event of events) joiner.push(event)
    },
    /** Settles when everything pushed so far is durable and told. */
    async settled(): Promise<void> {
      joiner.flush()
      while (gathered.length > 0 && !failed) await begin()
      await writing
    },
    async close(): Promise<void> {
      joiner.close()
      await this.settled()
    },
  }
}
export type Recorder = ReturnType<typeof createRecorder>
