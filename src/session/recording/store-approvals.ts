import type { StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import { LogFault } from '../../log/log-fault.ts'
import type { ApprovalRecord } from '../../log/types.ts'
import { defined } from '../../shared/fields.ts'

type Requested = Extract<StampedEvent, { type: 'approval_request' }>
type Resolved = Extract<StampedEvent, { type: 'approval_resolved' }>

/**
 * Stores the approvals that events request and resolve, so that a restart finds the open ones. A
 * record that the log refuses is skipped: the events have the same facts.
 */
export const storeApprovals = async (log: Log, events: readonly StampedEvent[]): Promise<void> => {
  for (const event of events)
    try {
      if (event.type === 'approval_request') await log.approvals.put(pendingRecord(event))
      if (event.type === 'approval_resolved') await storeOutcome(log, event)
    } catch (cause) {
      if (!(cause instanceof LogFault)) throw cause
    }
}

const pendingRecord = (event: Requested): ApprovalRecord => {
  const { type, seq, timestamp, ...request } = event
  return { ...request, createdAt: timestamp, status: 'pending' }
}

const storeOutcome = async (log: Log, event: Resolved): Promise<void> => {
  const record = await log.approvals.get(event.approvalId)
  if (!record) return
  const { action, by, message, updatedInput, optionId, answers, outcome, timestamp } = event
  await log.approvals.put({
    ...record,
    status: outcome === 'policy' ? 'answered' : outcome,
    action,
    resolvedAt: timestamp,
    ...defined({ by, message, updatedInput, optionId, answers }),
  })
}
