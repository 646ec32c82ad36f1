import { ledgerMark, ledgerRow, readMark } from '../ledger-row.ts'
import type { LedgerStore } from '../log.ts'
import { pack, unpack } from '../stored.ts'
import type { Base } from './base.ts'
import { prepare, textIn } from './database.ts'

/** The row of the mark: no other has this key. */
const markKey = ''

/** The rows of all accounts. */
export const createLedgerStore = ({ database, writes, places, ensureOpen }: Base): LedgerStore => {
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
      const texts = rows.map((row) => [row.key, pack(ledgerRow, row)] as const)
      if (mark) texts.push([markKey, pack(ledgerMark, mark)])
      const bytes = texts.reduce((sum, [, text]) => sum + text.length, 0)
      await writes.add(() => {
        const { session } = places.of(sessionId)
        for (const [key, text] of texts) upsert.run(session, key, text)
      }, bytes)
    },
    async list(sessionId) {
      ensureOpen()
      const place = places.find(sessionId)
      if (!place) return []
      return select.all(place.session).map((row) => unpack(ledgerRow, textIn(row)))
    },
    async mark(sessionId) {
      ensureOpen()
      const place = places.find(sessionId)
      const row = place && selectMark.get(place.session)
      return row === undefined ? undefined : readMark(textIn(row))
    },
  }
}
