import type { BlobRef, StampedEvent } from '../events/types.ts'

/**
 * The writes of agents’ events in a log that may be away for some time. They wait until it is back, and
 * are in a journal on this machine meanwhile. A session may make the next write before the last one is
 * stored: they are stored in the order of the calls.
 */
export interface WriteQueue {
  /**
   * Like `append`, but waits for as long as it takes. The events are stored after `ready`, which stores
   * what they refer to. When one append of a session fails, those that wait behind it fail too.
   */
  append(
    sessionId: string,
    events: readonly StampedEvent[],
    ready?: Promise<unknown>,
  ): Promise<void>
  /** Like `put` of the blobs, but waits for as long as it takes. */
  putBlob(sessionId: string, bytes: Uint8Array, mimeType?: string): Promise<BlobRef>
  /** Whether sources must pause: the journal has reached its limit, or cannot be written. */
  isFull(): boolean
  /** Calls the listener when `isFull` changes. Returns the function that ends that. */
  onFull(listener: (isFull: boolean) => void): () => void
  /**
   * Resolves when the writes of a session are stored, or are in the journal for the next start. After ten
   * seconds in which neither worked it resolves too, and reports what is lost.
   */
  flushed(sessionId: string): Promise<void>
}
