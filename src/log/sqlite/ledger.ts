import type { LedgerStore } from '../log.ts'
import type { SqliteContext } from './context.ts'
import { prepare, textIn } from './database.ts'
import { unpack } from './records.ts'

/** The row of the mark: no other has this key. */
const markKey = ''

/** The rows of all accounts. */
export const createLedgerStore = (base: SqliteContext): LedgerStore => {
  const { database, writes, records, places, ensureOpen } = base
  const upsert = prepare(
    database,
    `INSERT INTO ledger (session, key, row) VALUES (?, ?, ?)
    ON CONFLICT (session, key) DO UPDATE SET row = excluded.row`,
  )
  const select = prepare(
    database,
    `SELECT row FROM ledger WHERE session = ? AND key <> '${markKey}' ORDER BY rowid`,
  )
  const selectMark = prepare(
    database,
    `SELECT row FROM ledger WHERE session = ? AND key = '${markKey}'`,
  )

  return {
    async put(sessionId, rows, mark) {
      const taken = rows.map((row) => ({ key: row.key, ...records.take('ledgerRow', row) }))
      if (mark) taken.push({ key: markKey, ...records.take('ledgerMark', mark) })
      const bytes = taken.reduce((sum, each) => sum + each.bytes, 0)
      await writes.addChecked(() => {
        const texts = taken.map(({ key, text }) => [key, text()] as const)
        const { session } = places.of(sessionId)
        for (const [key, text] of texts) upsert.run(session, key, text)
      }, bytes)
    },
    async list(sessionId) {
      ensureOpen()
      const place = places.find(sessionId)
      if (!place) return []
      return select.all(place.session).map((row) => unpack('ledgerRow', textIn(row)))
    },
    async mark(sessionId) {
      ensureOpen()
      const place = places.find(sessionId)
      const row = place && selectMark.get(place.session)
      if (row === undefined) return undefined
      const { readMark } = await records.load()
      return readMark(textIn(row))
    },
  }
}
