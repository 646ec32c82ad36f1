import type { AgentEvent, EventOf } from '../../../events/types.ts'
import type { ApprovalReply } from '../../live.ts'
import type { Account } from './account.ts'

/** What a request for approval says, without the id that it is given. */
export type Question = Omit<EventOf<'approval_request'>, 'type' | 'approvalId'>

/** What one run of the demo has around it. */
export interface Stage {
  tell(event: AgentEvent): void
  /** Tells when the run is stopped. */
  signal: AbortSignal
  /** Milliseconds that a word takes. */
  pace: number
  model: string
  account: Account
  newId(kind: string): string
  /** Asks a person, and waits. */
  ask(question: Question): Promise<ApprovalReply>
}
