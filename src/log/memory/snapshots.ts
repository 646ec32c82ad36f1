import type { SnapshotStore } from '../log.ts'
import { snapshotAhead } from '../log-fault.ts'
import type { MemoryContext } from './context.ts'

/** Snapshots in memory, one per session. */
export const createSnapshotStore = ({
  sessions,
  ensureOpen,
  sessionOf,
}: MemoryContext): SnapshotStore => ({
  async put(sessionId, seq, text) {
    const session = sessionOf(sessionId)
    const head = session.events.length
    if (seq > head) throw snapshotAhead(sessionId, seq, head)
    if (seq >= (session.snapshot?.seq ?? 0)) session.snapshot = { seq, text }
  },
  async get(sessionId) {
    ensureOpen()
    const snapshot = sessions.get(sessionId)?.snapshot
    return snapshot && { ...snapshot }
  },
})
