import { isDecided } from '../is-decided.ts'
import type { ApprovalFilter, ApprovalStore } from '../log.ts'
import { approvalExists } from '../log-fault.ts'
import { serializeRecord } from '../records.ts'
import type { ApprovalRecord } from '../types.ts'
import type { MemoryContext } from './context.ts'

/** Approvals in memory. */
export const createApprovalStore = (context: MemoryContext): ApprovalStore => {
  const all = (): ApprovalRecord[] => {
    context.ensureOpen()
    const texts = [...context.sessions.values()].flatMap(({ approvals }) => [...approvals.values()])
    return texts.map((text) => JSON.parse(text))
  }
  const find = (approvalId: string): ApprovalRecord | undefined =>
    all().find((record) => record.approvalId === approvalId)

  return {
    async put(record) {
      const session = context.sessionOf(record.sessionId)
      const stored = find(record.approvalId)
      if (stored && stored.sessionId !== record.sessionId) throw approvalExists(stored)
      const text = serializeRecord('approval', record)
      if (!isDecided(stored, record)) session.approvals.set(record.approvalId, text)
    },
    get: async (approvalId) => find(approvalId),
    list: async (filter = {}) =>
      all()
        .filter((record) => matches(record, filter))
        .sort(oldestFirst),
  }
}

const matches = (record: ApprovalRecord, { sessionId, status }: ApprovalFilter): boolean =>
  (sessionId === undefined || record.sessionId === sessionId) &&
  (status === undefined || record.status === status)

const oldestFirst = (left: ApprovalRecord, right: ApprovalRecord): number => {
  if (left.createdAt !== right.createdAt) return left.createdAt - right.createdAt
  if (left.approvalId === right.approvalId) return 0
  return left.approvalId < right.approvalId ? -1 : 1
}
