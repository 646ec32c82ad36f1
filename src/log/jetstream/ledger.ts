import type { Totals } from '../../events/types.ts'
import type { LedgerStore } from '../log.ts'
import { parseLedgerCheckpoint, serializeRecord } from '../records.ts'
import type { LedgerRow } from '../types.ts'
import type { JetStreamContext } from './context.ts'
import { recordKeys } from './record-keys.ts'

/** The JSON of the rows, by key. */
type StoredRows = [key: string, text: string][]

/** The ledger of a session, as it is stored. */
interface StoredLedger {
  /** The rows that were added last, or changed. They replace those of the pages. */
  rows: StoredRows
  /** As JSON. */
  checkpoint?: string
  /** How many pages of older rows there are. A page never changes. */
  pages?: number
}

/** With more rows than this in characters, they become a page: otherwise each run would write all of them again. */
const pageLength = 128 * 1024

/** The ledgers, with what only the log calls. */
export interface OwnedLedgerStore extends LedgerStore {
  /** Deletes the ledger of a session. */
  removeOf(sessionId: string): Promise<void>
}

/** Ledgers in the bucket, one record per session and page. `deletedUsage`: the usage of removed sessions, by project. */
export const createLedgerStore = (
  { documents, ensureOpen, requireSession }: JetStreamContext,
  deletedUsage: ReadonlyMap<string, Totals>,
): OwnedLedgerStore => {
  const { ledger: keyOf, ledgerPage: keyOfPage } = recordKeys
  const storedIn = (text: string | undefined): StoredLedger =>
    text === undefined ? { rows: [] } : JSON.parse(text)
  const rowsIn = (text = '[]'): StoredRows => JSON.parse(text)
  const stored = async (sessionId: string): Promise<StoredLedger> => {
    ensureOpen()
    return storedIn((await documents.get(keyOf(sessionId)))?.text)
  }
  const pagesOf = (sessionId: string, count: number): Promise<StoredRows[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, page) =>
        rowsIn((await documents.get(keyOfPage(sessionId, page)))?.text),
      ),
    )
  /** Moves the rows into a page. A page is written once: an interrupted move, or another node, may have done so. */
  const moveToPage = async (
    sessionId: string,
    { rows, pages = 0 }: StoredLedger,
  ): Promise<void> => {
    const page = await documents.change(
      keyOfPage(sessionId, pages),
      (text) => text ?? JSON.stringify(rows),
    )
    const moved = new Map(rowsIn(page?.text))
    await documents.change(keyOf(sessionId), (text) => {
      const now = storedIn(text)
      if ((now.pages ?? 0) !== pages) return text
      const left = now.rows.filter(([key, row]) => moved.get(key) !== row)
      return JSON.stringify({ ...now, rows: left, pages: pages + 1 })
    })
  }
  return {
    async put(sessionId, rows, checkpoint) {
      ensureOpen()
      const texts = rows.map((row) => [row.key, serializeRecord('ledgerRow', row)] as const)
      const mark = checkpoint && serializeRecord('ledgerCheckpoint', checkpoint)
      requireSession(sessionId)
      const document = await documents.change(keyOf(sessionId), (text) => {
        const before = storedIn(text)
        const merged = new Map(before.rows)
        for (const [key, row] of texts) merged.set(key, row)
        const next: StoredLedger = { ...before, rows: [...merged] }
        if (mark !== undefined) next.checkpoint = mark
        return JSON.stringify(next)
      })
      if (document && document.text.length > pageLength)
        await moveToPage(sessionId, storedIn(document.text))
    },
    async list(sessionId) {
      const { rows, pages = 0 } = await stored(sessionId)
      const merged = new Map([...(await pagesOf(sessionId, pages)), rows].flat())
      return Array.from(merged.values(), (text): LedgerRow => JSON.parse(text))
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
    async removeOf(sessionId) {
      const { pages = 0 } = await stored(sessionId)
      // One more: a kill may have left a page that does not count yet.
      for (let page = 0; page <= pages; page += 1)
        await documents.change(keyOfPage(sessionId, page), () => undefined)
      await documents.change(keyOf(sessionId), () => undefined)
    },
  }
}
