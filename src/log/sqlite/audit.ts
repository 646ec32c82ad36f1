import type { AuditEntry } from '../../events/types.ts'
import type { AuditStore, NewAuditEntry } from '../audit-store.ts'
import type { SqliteContext } from './context.ts'
import { numberColumn, prepareStatement, readableRows } from './database.ts'
import { intactRecord, withChecksum } from './stored-text.ts'

/** The audit table. Its triggers refuse every change of a row. */
export const createAuditStore = (context: SqliteContext): AuditStore => {
  const { database, writes, serializer, reports, ensureOpen } = context
  const insert = prepareStatement(
    database,
    `INSERT INTO audit (action, actor, actor_id, session, record, checksum)
    VALUES (?, ?, ?, ?, ?, ?)
    RETURNING number`,
  )
  const insertNumbered = prepareStatement(
    database,
    `INSERT INTO audit (number, action, actor, actor_id, session, record, checksum)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE ?1 NOT IN (SELECT number FROM audit)`,
  )
  const select = (ofSession: string) =>
    prepareStatement(
      database,
      `SELECT record, checksum, number FROM audit
      WHERE ${ofSession} AND (?2 IS NULL OR actor = ?2 OR actor_id = ?2)
        AND (?3 IS NULL OR action = ?3) AND number < ?4
      ORDER BY number DESC LIMIT ?5`,
    )
  // Two statements, because SQLite uses no index for a condition that may be absent.
  const selectAll = select('?1 IS NULL')
  const selectOfSession = select('session = ?1')

  const entryIn = (row: unknown): AuditEntry | undefined => {
    const id = numberColumn(row, 2)
    const entry = intactRecord<NewAuditEntry>(row)
    if (entry) return { id, ...entry }
    reports.add({
      kind: 'audit',
      id: String(id),
      reason: `Entry ${id} of the audit cannot be read.`,
    })
    return undefined
  }

  return {
    async append(entry) {
      const { action, by, actorId, sessionId = null } = entry
      const { json, bytes } = serializer.prepare('audit', entry)
      return writes.addRecord(() => {
        const text = json()
        const row = insert.get(action, by, actorId, sessionId, ...withChecksum(text))
        return { id: numberColumn(row), ...JSON.parse(text) }
      }, bytes)
    },
    async put({ id, ...entry }) {
      const { action, by, actorId, sessionId = null } = entry
      const { json, bytes } = serializer.prepare('audit', entry)
      await writes.addRecord(() => {
        insertNumbered.run(id, action, by, actorId, sessionId, ...withChecksum(json()))
      }, bytes)
    },
    async list({ sessionId, actor, action, before, limit = 50 } = {}) {
      ensureOpen()
      const statement = sessionId === undefined ? selectAll : selectOfSession
      const end = before ?? Number.MAX_SAFE_INTEGER
      const values = [sessionId ?? null, actor ?? null, action ?? null, end, limit]
      const { rows, isComplete } = readableRows(statement, ...values)
      const reason = 'A part of the audit cannot be read.'
      if (!isComplete) reports.add({ kind: 'audit', id: '', reason })
      return rows.flatMap((row) => entryIn(row) ?? [])
    },
  }
}
