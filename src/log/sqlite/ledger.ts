import type { LedgerStore } from '../log.ts'
import type { LedgerRow } from '../types.ts'
import type { SqliteContext } from './context.ts'
import { columnOf, prepareStatement, readableRows } from './database.ts'
import { createDeletedUsage } from './deleted-usage.ts'
import type { CachedSessionRow } from './session-rows.ts'
import { intactRecord, intactText, withChecksum } from './stored-text.ts'

/** The key of the row that holds a session’s checkpoint. Keys of ledger rows are never empty. */
const checkpointKey = ''

/** The ledger table. */
export const createLedgerStore = (context: SqliteContext): LedgerStore => {
  const { database, writes, serializer, sessionRows, reports, ensureOpen } = context
  const upsert = prepareStatement(
    database,
    `INSERT INTO ledger (session, key, row, checksum) VALUES (?, ?, ?, ?)
    ON CONFLICT (session, key) DO UPDATE SET row = excluded.row, checksum = excluded.checksum`,
  )
  const deletedUsage = createDeletedUsage(context)
  const select = prepareStatement(
    database,
    `SELECT row, checksum, key FROM ledger WHERE session = ? AND key <> '${checkpointKey}' ORDER BY rowid`,
  )
  const selectCheckpoint = prepareStatement(
    database,
    `SELECT row, checksum FROM ledger WHERE session = ? AND key = '${checkpointKey}'`,
  )

  const dropAll = prepareStatement(database, 'DELETE FROM ledger WHERE session = ?')

  /** All or nothing: without one row, the sums of the others are wrong. The events have the same facts. */
  const drop = ({ number, id }: CachedSessionRow): void => {
    writes.add(() => void dropAll.run(number)).catch(() => {}) // it is found again
    const reason = 'The ledger is made again from the events.'
    reports.add({ kind: 'ledger', id, sessionId: id, reason })
    reports.forget('ledger', id)
  }

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
        for (const [key, text] of texts) upsert.run(session.number, key, ...withChecksum(text))
      }, bytes)
    },
    async list(sessionId) {
      ensureOpen()
      const session = sessionRows.find(sessionId)
      if (!session) return []
      const { rows, isComplete } = readableRows(select, session.number)
      const records = rows.flatMap((row) => recordIn(row) ?? [])
      if (isComplete && records.length === rows.length) return records
      drop(session)
      return []
    },
    async deletedUsage() {
      ensureOpen()
      return deletedUsage.list()
    },
    async checkpoint(sessionId) {
      ensureOpen()
      const session = sessionRows.find(sessionId)
      if (!session) return undefined
      const { rows, isComplete } = readableRows(selectCheckpoint, session.number)
      const [row] = rows
      if (isComplete && row === undefined) return undefined
      const text = intactText(row)
      if (text === undefined) drop(session)
      const { parseLedgerCheckpoint } = await serializer.load()
      return text === undefined ? undefined : parseLedgerCheckpoint(text)
    },
  }
}

/** The row if it can be read, and is the one that was stored with this key. */
const recordIn = (row: unknown): LedgerRow | undefined => {
  const record = intactRecord<LedgerRow>(row)
  return record?.key === columnOf(row, 2) ? record : undefined
}
