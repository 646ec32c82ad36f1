import type { StampedEvent } from '../../events/types.ts'
import type { ApprovalRecord } from '../../log/types.ts'

/**
 * Outcomes of approvals that are in the events, and not in the records: the process was killed in between, or
 * the cluster was away. Such an approval looks pending, and must not be decided again.
 */
export interface MissedOutcomes {
  /** Adds one of the last events of the session. */
  push(event: StampedEvent): void
  /** Whether an approval was requested before the last events, and perhaps decided there. */
  mayBeEarlier(): boolean
  /** Adds one of the events before. Returns whether it is about such an approval. */
  pushEarlier(event: StampedEvent): boolean
  /** The events that decided approvals whose records are pending. */
  events(): StampedEvent[]
}

export const createMissedOutcomes = (
  pending: readonly Pick<ApprovalRecord, 'approvalId'>[],
): MissedOutcomes => {
  const ids = new Set(pending.map(({ approvalId }) => approvalId))
  const earlier = new Set(ids)
  const decided = new Map<string, StampedEvent>()
  const push = (event: StampedEvent, among: ReadonlySet<string>): string | undefined => {
    if (event.type !== 'approval_request' && event.type !== 'approval_resolved') return undefined
    const { approvalId } = event
    if (!among.has(approvalId)) return undefined
    if (event.type === 'approval_resolved') decided.set(approvalId, event)
    else decided.delete(approvalId)
    return approvalId
  }
  return {
    push(event) {
      const id = push(event, ids)
      if (id !== undefined) earlier.delete(id)
    },
    mayBeEarlier: () => earlier.size > 0,
    pushEarlier: (event) => push(event, earlier) !== undefined,
    events: () => [...decided.values()],
  }
}
