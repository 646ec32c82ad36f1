import { actorNamed } from './authors.ts'
import type { ApprovalDecision, PendingApproval } from './session.ts'
import type { SessionAction } from './session-deps.ts'

/** What the audit says about the answer to an approval request. */
export const approvalActionOf = (
  { toolName, kind, hash }: PendingApproval,
  decision: ApprovalDecision,
): SessionAction => {
  const { action, by, updatedInput } = decision
  const rewritten = updatedInput === undefined ? '' : ', with other arguments'
  return {
    action: action === 'allow' ? 'approval_allowed' : 'approval_denied',
    by: decision.actor ?? actorNamed(by),
    detail: `${toolName ?? kind}${rewritten} (hash ${hash.slice(0, 12)})`,
  }
}
