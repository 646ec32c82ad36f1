import type { AgentEvent, EventOf } from '../../../events/types.ts'
import type { ApprovalReply } from '../../live.ts'
import type { DemoAccount } from './account.ts'

/** An approval request without the id that it gets when it is sent. */
export type NewApproval = Omit<EventOf<'approval_request'>, 'type' | 'approvalId'>

/** What the parts of one run share. */
export interface RunContext {
  /** Prints an event, if it is in order. */
  emit(event: AgentEvent): void
  /** Aborted when the run is stopped. */
  signal: AbortSignal
  /** Milliseconds per word. */
  pace: number
  model: string
  account: DemoAccount
  /** A new id, unique across processes. */
  newId(kind: string): string
  /** Requests an approval and waits for the reply. */
  requestApproval(approval: NewApproval): Promise<ApprovalReply>
}
