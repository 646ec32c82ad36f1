import type { Totals } from '../../events/types.ts'
import type { LedgerStore } from '../log.ts'
import { parseLedgerCheckpoint, serializeRecord } from '../records.ts'
import type { LedgerRow } from '../types.ts'
import type { JetStreamContext } from './context.ts'
import { recordKeys } from './record-keys.ts'

/** The ledger of a session, as it is stored. */
interface StoredLedger {
  /** The JSON of the rows, by key. */
  rows: [key: string, text: string][]
  /** As JSON. */
  checkpoint?: string
}

/** Ledgers in the bucket, one record per session. `deletedUsage`: the usage of removed sessions, by project. */
export const createLedgerStore = (
  { documents, ensureOpen, requireSession }: JetStreamContext,
  deletedUsage: ReadonlyMap<string, Totals>,
): LedgerStore => {
  const stored = async (sessionId: string): Promise<StoredLedger> => {
    ensureOpen()
    const document = await documents.get(recordKeys.ledger(sessionId))
    return document ? JSON.parse(document.text) : { rows: [] }
  }
  return {
    async put(sessionId, rows, checkpoint) {
      ensureOpen()
      const texts = rows.map((row) => [row.key, serializeRecord('ledgerRow', row)] as const)
      const mark = checkpoint && serializeRecord('ledgerCheckpoint', checkpoint)
      requireSession(sessionId)
      await documents.change(recordKeys.ledger(sessionId), (text) => {
        const before: StoredLedger = text === undefined ? { rows: [] } : JSON.parse(text)
        const merged = new Map(before.rows)
        for (const [key, row] of texts) merged.set(key, row)
        const next: StoredLedger = { ...before, rows: [...merged] }
        if (mark !== undefined) next.checkpoint = mark
        return JSON.stringify(next)
      })
    },
    async list(sessionId) {
      const { rows } = await stored(sessionId)
      return rows.map(([, text]): LedgerRow => JSON.parse(text))
    },
    async checkpoint(sessionId) {
      const { checkpoint } = await stored(sessionId)
      return checkpoint === undefined ? undefined : parseLedgerCheckpoint(checkpoint)
    },
    async deletedUsage() {
      ensureOpen()
      return [...deletedUsage].map(([projectId, usage]) => ({
        usage: { ...usage },
        ...(projectId !== '' && { projectId }),
      }))
    },
  }
}
