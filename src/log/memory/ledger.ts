import type { LedgerStore } from '../log.ts'
import { parseLedgerCheckpoint, serializeRecord } from '../records.ts'
import type { MemoryContext } from './context.ts'

/** Ledgers in memory, one per session. */
export const createLedgerStore = ({
  sessions,
  deletedUsage,
  ensureOpen,
  sessionOf,
}: MemoryContext): LedgerStore => ({
  async put(sessionId, rows, checkpoint) {
    const session = sessionOf(sessionId)
    // All are validated before the first is stored.
    const texts = rows.map((row) => [row.key, serializeRecord('ledgerRow', row)] as const)
    if (checkpoint) session.checkpoint = serializeRecord('ledgerCheckpoint', checkpoint)
    for (const [key, text] of texts) session.ledgerRows.set(key, text)
  },
  async list(sessionId) {
    ensureOpen()
    const texts = sessions.get(sessionId)?.ledgerRows.values() ?? []
    return [...texts].map((text) => JSON.parse(text))
  },
  async deletedUsage() {
    ensureOpen()
    return [...deletedUsage].map(([projectId, usage]) => ({
      usage: { ...usage },
      ...(projectId !== '' && { projectId }),
    }))
  },
  async checkpoint(sessionId) {
    ensureOpen()
    const text = sessions.get(sessionId)?.checkpoint
    return text === undefined ? undefined : parseLedgerCheckpoint(text)
  },
})
