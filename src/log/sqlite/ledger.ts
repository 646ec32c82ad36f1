import { ledgerRow } from '../ledger-row.ts'
import type { LedgerStore } from '../log.ts'
import { pack, unpack } from '../stored.ts'
import type { Base } from './base.ts'
import { prepare, textIn } from './database.ts'

/** The rows of all accounts. */
export const createLedgerStore = ({ database, writes, places, ensureOpen }: Base): LedgerStore => {
  const upsert = prepare(
    database,
    `INSERT INTO ledger (session, key, row) VALUES (?, ?, ?)
    ON CONFLICT (session, key) DO UPDATE SET row = excluded.row`,
  )
  const select = prepare(database, 'SELECT row FROM ledger WHERE session = ? ORDER BY rowid')

  return {
    async put(row) {
      const text = pack(ledgerRow, row)
      await writes.add(() => {
        const { session } = places.of(row.sessionId)
        upsert.run(session, row.key, text)
      }, text.length)
    },
    async list(sessionId) {
      ensureOpen()
      const place = places.find(sessionId)
      if (!place) return []
      return select.all(place.session).map((row) => unpack(ledgerRow, textIn(row)))
    },
  }
}
