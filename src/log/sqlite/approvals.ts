import type { ApprovalFilter, ApprovalStore } from '../log.ts'
import { approvalExists } from '../log-fault.ts'
import type { ApprovalRecord } from '../types.ts'
import type { SqliteContext } from './context.ts'
import { prepare, textIn } from './database.ts'
import { unpack } from './records.ts'

/** The approvals of all sessions. */
export const createApprovals = (base: SqliteContext): ApprovalStore => {
  const { database, writes, records, places, ensureOpen } = base
  const upsert = prepare(
    database,
    `INSERT INTO approvals (id, session, status, created_at, record) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET
      status = excluded.status, created_at = excluded.created_at, record = excluded.record`,
  )
  const select = prepare(database, 'SELECT record FROM approvals WHERE id = ?')
  const selectBy = (where: string) =>
    prepare(database, `SELECT record FROM approvals ${where} ORDER BY created_at, id`)
  const selectAll = selectBy('')
  const selectByStatus = selectBy('WHERE status = ?')
  const selectBySession = selectBy('WHERE session = ?')
  const selectByBoth = selectBy('WHERE session = ? AND status = ?')

  const find = (approvalId: string): ApprovalRecord | undefined => {
    const row = select.get(approvalId)
    return row === undefined ? undefined : unpack('approval', textIn(row))
  }

  const rowsOf = ({ sessionId, status }: ApprovalFilter): unknown[] => {
    if (sessionId === undefined)
      return status === undefined ? selectAll.all() : selectByStatus.all(status)
    const session = places.find(sessionId)?.session
    if (session === undefined) return []
    return status === undefined ? selectBySession.all(session) : selectByBoth.all(session, status)
  }

  return {
    async put(record) {
      const { approvalId, sessionId, status, createdAt } = record
      const { text, bytes } = records.take('approval', record)
      await writes.addChecked(() => {
        const stored = text()
        const { session } = places.of(sessionId)
        const known = find(approvalId)
        if (known && known.sessionId !== sessionId) throw approvalExists(known)
        upsert.run(approvalId, session, status, createdAt, stored)
      }, bytes)
    },
    async get(approvalId) {
      ensureOpen()
      return find(approvalId)
    },
    async list(filter = {}) {
      ensureOpen()
      return rowsOf(filter).map((row) => unpack('approval', textIn(row)))
    },
  }
}
