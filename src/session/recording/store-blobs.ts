import type { AgentEvent } from '../../events/types.ts'
import { extractBlobs } from '../../log/blobs/extract-blobs.ts'
import type { Log } from '../../log/log.ts'

/** Takes large payloads out of events into the blob store, before they are stamped. */
export const createBlobStorer = (log: Log, sessionId: string) => {
  let storing: Promise<unknown>[] = []
  return {
    take(event: AgentEvent): AgentEvent {
      const { event: light, blobs } = extractBlobs(event)
      for (const { bytes, ref } of blobs) {
        const stored = log.blobs.put(sessionId, bytes, ref.mimeType)
        stored.catch(() => {}) // told by `stored`, which may be asked only later
        storing.push(stored)
      }
      return light
    },
    /** Whether nothing was taken since it was last asked for. */
    isEmpty: (): boolean => storing.length === 0,
    /** Settles when what was taken so far is kept: an event never points at nothing. */
    async stored(): Promise<void> {
      const waiting = storing
      storing = []
      await Promise.all(waiting)
    },
  }
}
