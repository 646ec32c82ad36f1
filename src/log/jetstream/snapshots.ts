import type { SnapshotStore, StoredSnapshot } from '../log.ts'
import { snapshotAhead } from '../log-fault.ts'
import type { JetStreamContext } from './context.ts'
import { recordKeys } from './record-keys.ts'

/** Snapshots in the bucket, one record per session. `settledHead`: the last event, after the appends before. */
export const createSnapshotStore = (
  { documents, ensureOpen, requireSession }: JetStreamContext,
  settledHead: (sessionId: string) => Promise<number>,
): SnapshotStore => {
  return {
    async put(sessionId, seq, text) {
      ensureOpen()
      requireSession(sessionId)
      const head = await settledHead(sessionId)
      if (seq > head) throw snapshotAhead(sessionId, seq, head)
      await documents.change(recordKeys.snapshot(sessionId), (stored) => {
        const before: StoredSnapshot | undefined =
          stored === undefined ? undefined : JSON.parse(stored)
        return before && before.seq > seq ? stored : JSON.stringify({ seq, text })
      })
    },
    async get(sessionId) {
      ensureOpen()
      const document = await documents.get(recordKeys.snapshot(sessionId))
      return document && JSON.parse(document.text)
    },
  }
}
