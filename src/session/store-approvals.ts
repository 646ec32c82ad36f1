import type { StampedEvent } from '../events/envelope.ts'
import type { Log } from '../log/log.ts'

/** Keeps a request and what became of it, so that a restart knows what was left unanswered. */
export const storeApproval = async (
  log: Log,
  event: StampedEvent,
  now: () => number,
): Promise<void> => {
  if (event.type === 'approval_request') {
    const { approvalId, sessionId, toolCallId, toolName, args, timestamp } = event
    await log.approvals.put({
      approvalId,
      sessionId,
      ...(toolCallId !== undefined && { toolCallId }),
      ...(toolName !== undefined && { toolName }),
      ...(args !== undefined && { args }),
      deadline: event.deadline ?? timestamp,
      createdAt: timestamp,
      status: 'pending',
    })
  }
  if (event.type !== 'approval_resolved') return
  const known = await log.approvals.get(event.approvalId)
  if (!known) return
  const { action, by, message, updatedInput, outcome } = event
  await log.approvals.put({
    ...known,
    status: outcome === 'policy' ? 'answered' : outcome,
    action,
    resolvedAt: now(),
    ...(by !== undefined && { by }),
    ...(message !== undefined && { message }),
    ...(updatedInput !== undefined && { updatedInput }),
  })
}
