import type { AuditEntry } from '../../events/types.ts'
import type { AuditStore } from '../log.ts'
import type { SqliteContext } from './context.ts'
import { numberColumn, prepareStatement, textColumn } from './database.ts'

/** The audit table. Its triggers refuse every change of a row. */
export const createAuditStore = (context: SqliteContext): AuditStore => {
  const { database, writes, serializer, ensureOpen } = context
  const insert = prepareStatement(
    database,
    `INSERT INTO audit (action, actor, actor_id, session, record) VALUES (?, ?, ?, ?, ?)
    RETURNING number`,
  )
  const select = (ofSession: string) =>
    prepareStatement(
      database,
      `SELECT number, record FROM audit
      WHERE ${ofSession} AND (?2 IS NULL OR actor = ?2 OR actor_id = ?2)
        AND (?3 IS NULL OR action = ?3) AND number < ?4
      ORDER BY number DESC LIMIT ?5`,
    )
  // Two statements, because SQLite uses no index for a condition that may be absent.
  const selectAll = select('?1 IS NULL')
  const selectOfSession = select('session = ?1')

  return {
    async append(entry) {
      const { action, by, actorId, sessionId = null } = entry
      const { json, bytes } = serializer.prepare('audit', entry)
      return writes.addRecord(() => {
        const text = json()
        const row = insert.get(action, by, actorId, sessionId, text)
        return entryOf(numberColumn(row), text)
      }, bytes)
    },
    async list({ sessionId, actor, action, before, limit = 50 } = {}) {
      ensureOpen()
      const statement = sessionId === undefined ? selectAll : selectOfSession
      const end = before ?? Number.MAX_SAFE_INTEGER
      return statement
        .all(sessionId ?? null, actor ?? null, action ?? null, end, limit)
        .map((row) => entryOf(numberColumn(row), textColumn(row, 1)))
    },
  }
}

const entryOf = (id: number, text: string): AuditEntry => ({ id, ...JSON.parse(text) })
