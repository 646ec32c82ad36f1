import type { ApprovalFilter, ApprovalStore } from '../log.ts'
import { approvalExists } from '../log-fault.ts'
import type { ApprovalRecord } from '../types.ts'
import type { SqliteContext } from './context.ts'
import { prepareStatement, textColumn } from './database.ts'

/** The approvals table. */
export const createApprovalStore = (context: SqliteContext): ApprovalStore => {
  const { database, writes, serializer, sessionRows, ensureOpen } = context
  const upsert = prepareStatement(
    database,
    `INSERT INTO approvals (id, session, status, created_at, record) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET
      status = excluded.status, created_at = excluded.created_at, record = excluded.record`,
  )
  const select = prepareStatement(database, 'SELECT record FROM approvals WHERE id = ?')
  const selectWhere = (where: string) =>
    prepareStatement(database, `SELECT record FROM approvals ${where} ORDER BY created_at, id`)
  const selectAll = selectWhere('')
  const selectByStatus = selectWhere('WHERE status = ?')
  const selectBySession = selectWhere('WHERE session = ?')
  const selectByBoth = selectWhere('WHERE session = ? AND status = ?')

  const find = (approvalId: string): ApprovalRecord | undefined => {
    const row = select.get(approvalId)
    return row === undefined ? undefined : recordIn(row)
  }

  const selectRows = ({ sessionId, status }: ApprovalFilter): unknown[] => {
    if (sessionId === undefined)
      return status === undefined ? selectAll.all() : selectByStatus.all(status)
    const session = sessionRows.find(sessionId)
    if (!session) return []
    return status === undefined
      ? selectBySession.all(session.number)
      : selectByBoth.all(session.number, status)
  }

  return {
    async put(record) {
      const { approvalId, sessionId, status, createdAt } = record
      const { json, bytes } = serializer.prepare('approval', record)
      await writes.addRecord(() => {
        const text = json()
        const session = sessionRows.get(sessionId)
        const stored = find(approvalId)
        if (stored && stored.sessionId !== sessionId) throw approvalExists(stored)
        upsert.run(approvalId, session.number, status, createdAt, text)
      }, bytes)
    },
    async get(approvalId) {
      ensureOpen()
      return find(approvalId)
    },
    async list(filter = {}) {
      ensureOpen()
      return selectRows(filter).map(recordIn)
    },
  }
}

const recordIn = (row: unknown): ApprovalRecord => {
  const record: ApprovalRecord = JSON.parse(textColumn(row))
  // Records of earlier versions have no kind.
  return { ...record, kind: record.kind ?? 'tool' }
}
