import { isDecided } from '../is-decided.ts'
import type { ApprovalStore } from '../log.ts'
import { approvalExists } from '../log-fault.ts'
import { serializeRecord } from '../records.ts'
import type { ApprovalRecord } from '../types.ts'
import type { JetStreamContext } from './context.ts'
import { patiently } from './patiently.ts'
import { recordKeys } from './record-keys.ts'

/** Approvals in the bucket. Lists come from the index. */
export const createApprovalStore = ({
  writer,
  index,
  lookUp,
  ensureOpen,
  requireSession,
}: JetStreamContext): ApprovalStore => {
  return {
    async put(record) {
      ensureOpen()
      const json = serializeRecord('approval', record)
      requireSession(record.sessionId)
      // However long the cluster is away: the events say so already.
      await patiently(() =>
        writer.change(recordKeys.approval(record.approvalId), (text) => {
          const stored: ApprovalRecord | undefined =
            text === undefined ? undefined : JSON.parse(text)
          if (stored && stored.sessionId !== record.sessionId) throw approvalExists(stored)
          return isDecided(stored, record) ? text : json
        }),
      )
    },
    async get(approvalId) {
      ensureOpen()
      return lookUp(recordKeys.approval(approvalId), () => index.approvals.get(approvalId))
    },
    async list(filter) {
      ensureOpen()
      return index.approvals.list(filter)
    },
  }
}
