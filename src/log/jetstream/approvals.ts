import { isDecided } from '../is-decided.ts'
import type { ApprovalStore } from '../log.ts'
import { approvalExists } from '../log-fault.ts'
import { serializeRecord } from '../records.ts'
import type { ApprovalRecord } from '../types.ts'
import type { JetStreamContext } from './context.ts'
import { isUnreachable, patiently, unlessClosed } from './patiently.ts'
import { recordKeys } from './record-keys.ts'

/** Approvals in the bucket. Lists come from the index. */
export const createApprovalStore = ({
  writer,
  index,
  lookUp,
  ensureOpen,
  requireSession,
  onError,
}: JetStreamContext): ApprovalStore => {
  return {
    async put(record) {
      ensureOpen()
      const json = serializeRecord('approval', record)
      requireSession(record.sessionId)
      const store = () =>
        writer.change(recordKeys.approval(record.approvalId), (text) => {
          const stored: ApprovalRecord | undefined =
            text === undefined ? undefined : JSON.parse(text)
          if (stored && stored.sessionId !== record.sessionId) throw approvalExists(stored)
          return isDecided(stored, record) ? text : json
        })
      try {
        await store()
      } catch (cause) {
        // The events say so already, so it is stored as soon as the cluster is back.
        if (isUnreachable(cause)) patiently(store).catch(unlessClosed(onError))
        throw cause
      }
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
