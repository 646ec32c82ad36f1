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
  const select = prepareStatement(
    database,
    `SELECT number, record FROM audit
    WHERE (?1 IS NULL OR session = ?1) AND (?2 IS NULL OR actor = ?2 OR actor_id = ?2)
      AND (?3 IS NULL OR action = ?3) AND (?4 IS NULL OR number < ?4)
    ORDER BY number DESC LIMIT ?5`,
  )

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
      return select
        .all(sessionId ?? null, actor ?? null, action ?? null, before ?? null, limit)
        .map((row) => entryOf(numberColumn(row), textColumn(row, 1)))
    },
  }
}

const entryOf = (id: number, text: string): AuditEntry => ({ id, ...JSON.parse(text) })
