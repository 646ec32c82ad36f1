import type { LedgerStore } from '../log.ts'
import type { LedgerRow } from '../types.ts'
import type { SqliteContext } from './context.ts'
import { prepareStatement, textColumn } from './database.ts'

/** The key of the row that holds a session’s checkpoint. Keys of ledger rows are never empty. */
const checkpointKey = ''

/** The ledger table. */
export const createLedgerStore = (context: SqliteContext): LedgerStore => {
  const { database, writes, serializer, sessionRows, ensureOpen } = context
  const upsert = prepareStatement(
    database,
    `INSERT INTO ledger (session, key, row) VALUES (?, ?, ?)
    ON CONFLICT (session, key) DO UPDATE SET row = excluded.row`,
  )
  const select = prepareStatement(
    database,
    `SELECT row FROM ledger WHERE session = ? AND key <> '${checkpointKey}' ORDER BY rowid`,
  )
  const selectCheckpoint = prepareStatement(
    database,
    `SELECT row FROM ledger WHERE session = ? AND key = '${checkpointKey}'`,
  )

  return {
    async put(sessionId, rows, checkpoint) {
      const prepared = rows.map((row) => ({
        key: row.key,
        ...serializer.prepare('ledgerRow', row),
      }))
      if (checkpoint)
        prepared.push({
          key: checkpointKey,
          ...serializer.prepare('ledgerCheckpoint', checkpoint),
        })
      const bytes = prepared.reduce((sum, each) => sum + each.bytes, 0)
      await writes.addRecord(() => {
        // All are validated before the first is written.
        const texts = prepared.map(({ key, json }) => [key, json()] as const)
        const session = sessionRows.get(sessionId)
        for (const [key, text] of texts) upsert.run(session.number, key, text)
      }, bytes)
    },
    async list(sessionId) {
      ensureOpen()
      const session = sessionRows.find(sessionId)
      return session ? select.all(session.number).map(recordIn) : []
    },
    async checkpoint(sessionId) {
      ensureOpen()
      const session = sessionRows.find(sessionId)
      const row = session && selectCheckpoint.get(session.number)
      if (row === undefined) return undefined
      const { parseLedgerCheckpoint } = await serializer.load()
      return parseLedgerCheckpoint(textColumn(row))
    },
  }
}

const recordIn = (row: unknown): LedgerRow => JSON.parse(textColumn(row))
