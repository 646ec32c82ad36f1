import type { MovedStore } from '../moved.ts'
import type { MemoryContext } from './context.ts'

/** What moves between logs, in memory. */
export const createMovedStore = ({
  sessions,
  deletedUsage,
  spending,
  ensureOpen,
  sessionOf,
}: MemoryContext): MovedStore => ({
  async blobsOf(sessionId) {
    ensureOpen()
    return [...(sessions.get(sessionId)?.blobs ?? [])]
  },
  async receipts(sessionId) {
    ensureOpen()
    return [...(sessions.get(sessionId)?.receipts ?? [])]
      .filter(([, { state }]) => state !== 'queued' && state !== 'sent')
      .map(([key, receipt]) => ({ key, ...receipt }))
  },
  async putReceipts(sessionId, receipts) {
    const session = sessionOf(sessionId)
    for (const { key, ...receipt } of receipts)
      if (!session.receipts.has(key)) session.receipts.set(key, receipt)
  },
  async putDeletedUsage({ projectId = '', usage }) {
    ensureOpen()
    deletedUsage.set(projectId, structuredClone(usage))
  },
  completeSums: async () => {},
  async removedSpending() {
    ensureOpen()
    const current = new Set(Array.from(sessions.values(), (session) => session.spending))
    return spending
      .filter((each) => !current.has(each))
      .map(({ rows, ...owner }) => ({ ...owner, rows: [...rows.values()] }))
  },
  async putRemovedSpending(all) {
    const current = new Set(Array.from(sessions.values(), (session) => session.spending))
    ensureOpen()
    const kept = spending.filter((each) => current.has(each))
    const moved = all.map(({ rows, ...owner }) => ({
      ...owner,
      rows: new Map(rows.map((row) => [`${row.step} ${row.model}`, { ...row }] as const)),
    }))
    spending.splice(0, spending.length, ...kept, ...moved)
  },
})
