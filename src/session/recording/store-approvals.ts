import type { StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import { LogFault } from '../../log/log-fault.ts'
import type { ApprovalRecord } from '../../log/types.ts'

type Requested = Extract<StampedEvent, { type: 'approval_request' }>
type Resolved = Extract<StampedEvent, { type: 'approval_resolved' }>

/**
 * Keeps requests and what became of them, so that a restart knows what was left unanswered. The
 * events are the truth: a record that the log refuses stops nobody.
 */
export const storeApprovals = async (log: Log, events: readonly StampedEvent[]): Promise<void> => {
  for (const event of events)
    try {
      if (event.type === 'approval_request') await log.approvals.put(requestOf(event))
      if (event.type === 'approval_resolved') await storeOutcome(log, event)
    } catch (cause) {
      if (!(cause instanceof LogFault)) throw cause
    }
}

const requestOf = (event: Requested): ApprovalRecord => {
  const { type, seq, parentToolCallId, timestamp, ...asked } = event
  const { deadline = timestamp } = asked
  return { ...asked, deadline, createdAt: timestamp, status: 'pending' }
}

const storeOutcome = async (log: Log, event: Resolved): Promise<void> => {
  const known = await log.approvals.get(event.approvalId)
  if (!known) return
  const { action, by, message, updatedInput, answers, outcome, timestamp } = event
  await log.approvals.put({
    ...known,
    status: outcome === 'policy' ? 'answered' : outcome,
    action,
    resolvedAt: timestamp,
    ...(by !== undefined && { by }),
    ...(message !== undefined && { message }),
    ...(updatedInput !== undefined && { updatedInput }),
    ...(answers && { answers }),
  })
}
