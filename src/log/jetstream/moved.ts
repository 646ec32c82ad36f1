import type { MovedReceipt, MovedStore } from '../moved.ts'
import type { StoredCommands } from './command-documents.ts'
import type { JetStreamContext } from './context.ts'
import { recordKeys } from './record-keys.ts'
import { type SpendingBook, storedSpending } from './spending-book.ts'

/** What moves between logs, in the bucket. */
export const createMovedStore = (
  { documents, writer, ensureOpen, requireSession }: JetStreamContext,
  {
    book,
    completeSums,
  }: { book: Pick<SpendingBook, 'finished'> } & Pick<MovedStore, 'completeSums'>,
): MovedStore => {
  const commandsOf = async (sessionId: string): Promise<StoredCommands> => {
    const document = await documents.get(recordKeys.commands(sessionId))
    return document ? JSON.parse(document.text) : { open: [], receipts: [] }
  }

  return {
    async blobsOf(sessionId) {
      ensureOpen()
      const document = await documents.get(recordKeys.blobsOf(sessionId))
      return document ? Object.keys(JSON.parse(document.text)).sort() : []
    },
    async receipts(sessionId) {
      ensureOpen()
      const { receipts } = await commandsOf(sessionId)
      return receipts.filter(({ state }) => state !== 'queued' && state !== 'sent')
    },
    async putReceipts(sessionId, receipts) {
      ensureOpen()
      requireSession(sessionId)
      if (receipts.length === 0) return
      await writer.change(recordKeys.openCommands(sessionId), () => '{}')
      await documents.change(recordKeys.commands(sessionId), (text) => {
        const stored: StoredCommands =
          text === undefined ? { open: [], receipts: [] } : JSON.parse(text)
        const known = new Set(stored.receipts.map(({ key }) => key))
        const isNew = ({ key }: MovedReceipt): boolean => !known.has(key)
        return JSON.stringify({
          ...stored,
          receipts: [...stored.receipts, ...receipts.filter(isNew)],
        })
      })
      for (const { key } of receipts)
        await documents.change(
          recordKeys.commandKey(key),
          (text) => text ?? JSON.stringify(sessionId),
        )
    },
    async putDeletedUsage({ projectId = '', usage }) {
      ensureOpen()
      const stored = JSON.stringify({ totals: usage, sessions: [] })
      await writer.change(recordKeys.deletedUsage(projectId), () => stored)
    },
    completeSums,
    async removedSpending() {
      ensureOpen()
      return book.finished().map(({ rows, ...owner }) => ({ ...owner, rows: [...rows.values()] }))
    },
    async putRemovedSpending(all) {
      ensureOpen()
      for (const [index, spending] of all.entries()) {
        const key = recordKeys.spending(`${spending.sessionId}:moved ${index}`)
        await writer.change(key, () => storedSpending(spending))
      }
    },
  }
}
