import { isDecided } from '../is-decided.ts'
import type { ApprovalFilter, ApprovalStore } from '../log.ts'
import { approvalExists } from '../log-fault.ts'
import type { ApprovalRecord } from '../types.ts'
import type { SqliteContext } from './context.ts'
import {
  columnOf,
  numberColumn,
  prepareStatement,
  readableRows,
  type Statement,
  type Value,
} from './database.ts'
import { intactRecord, withChecksum } from './stored-text.ts'

const columns = `record, checksum, approvals.id,
  (SELECT id FROM sessions WHERE number = session), approvals.rowid`

/** The approvals table. */
export const createApprovalStore = (context: SqliteContext): ApprovalStore => {
  const { database, writes, serializer, sessionRows, reports, ensureOpen } = context
  const upsert = prepareStatement(
    database,
    `INSERT INTO approvals (id, session, status, created_at, record, checksum)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, created_at = excluded.created_at,
      record = excluded.record, checksum = excluded.checksum`,
  )
  const remove = prepareStatement(database, 'DELETE FROM approvals WHERE rowid = ?')
  const select = prepareStatement(database, `SELECT ${columns} FROM approvals WHERE id = ?`)
  const selectWhere = (where: string) =>
    prepareStatement(database, `SELECT ${columns} FROM approvals ${where} ORDER BY created_at, id`)
  const selectAll = selectWhere('')
  const selectByStatus = selectWhere('WHERE status = ?')
  const selectBySession = selectWhere('WHERE session = ?')
  const selectByBoth = selectWhere('WHERE session = ? AND status = ?')

  const find = (approvalId: string): ApprovalRecord | undefined => {
    const [row] = readRows(select, approvalId)
    return row === undefined ? undefined : recordIn(row)
  }

  const readRows = (statement: Statement, ...values: Value[]): unknown[] => {
    const { rows, isComplete } = readableRows(statement, ...values)
    const reason = 'A part of the table of approvals cannot be read.'
    if (!isComplete) reports.add({ kind: 'approval', id: '', reason })
    return rows
  }

  /** Drops a damaged record: the events of its session have the same facts. */
  const recordIn = (row: unknown): ApprovalRecord | undefined => {
    const record = intactRecord<ApprovalRecord>(row)
    const id = columnOf(row, 2)
    // Records of earlier versions have no kind.
    if (record && record.approvalId === id) return { ...record, kind: record.kind ?? 'tool' }
    writes.add(() => void remove.run(numberColumn(row, 4))).catch(() => {}) // it is found again
    const sessionId = columnOf(row, 3)
    const reason = 'The approval is made again from the events.'
    reports.add({
      kind: 'approval',
      id: String(id),
      reason,
      ...(typeof sessionId === 'string' && { sessionId }),
    })
    reports.forget('approval', String(id))
    return undefined
  }

  const selectRows = ({ sessionId, status }: ApprovalFilter): unknown[] => {
    if (sessionId === undefined)
      return status === undefined ? readRows(selectAll) : readRows(selectByStatus, status)
    const session = sessionRows.find(sessionId)
    if (!session) return []
    return status === undefined
      ? readRows(selectBySession, session.number)
      : readRows(selectByBoth, session.number, status)
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
        if (isDecided(stored, record)) return
        upsert.run(approvalId, session.number, status, createdAt, ...withChecksum(text))
      }, bytes)
    },
    async get(approvalId) {
      ensureOpen()
      return find(approvalId)
    },
    async list(filter = {}) {
      ensureOpen()
      return selectRows(filter).flatMap((row) => recordIn(row) ?? [])
    },
  }
}
