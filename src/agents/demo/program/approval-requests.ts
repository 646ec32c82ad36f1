import type { AgentEvent } from '../../../events/types.ts'
import type { ApprovalReply } from '../../live.ts'
import { unlessStopped } from './pause.ts'
import type { NewApproval } from './run-context.ts'

/** The approval requests that wait for a reply. */
export interface ApprovalRequests {
  /** Emits a request and waits for the reply to it. */
  send(approval: NewApproval, signal: AbortSignal): Promise<ApprovalReply>
  /** Allows without a request, for a run that cannot receive replies. The demo does no harm. */
  allow(approval: NewApproval): Promise<ApprovalReply>
  /** Passes on a reply; false if no such request waits. */
  reply(approvalId: string, reply: ApprovalReply): boolean
}

export const createApprovalRequests = (
  emit: (event: AgentEvent) => void,
  newId: (kind: string) => string,
): ApprovalRequests => {
  const waiting = new Map<string, (reply: ApprovalReply) => void>()

  const emitReply = (approvalId: string, { toolCallId }: NewApproval, reply: ApprovalReply) => {
    const { action, message, updatedInput } = reply
    emit({
      type: 'approval_resolved',
      approvalId,
      ...(toolCallId !== undefined && { toolCallId }),
      action,
      outcome: 'answered',
      ...(message !== undefined && { message }),
      ...(updatedInput !== undefined && { updatedInput }),
    })
  }

  return {
    async send(approval, signal) {
      const approvalId = newId('approval')
      emit({ type: 'approval_request', approvalId, ...approval })
      const reply = await unlessStopped<ApprovalReply>(signal, (resolve) => {
        waiting.set(approvalId, resolve)
        return () => waiting.delete(approvalId)
      })
      emitReply(approvalId, approval, reply)
      return reply
    },
    async allow({ toolCallId }) {
      emit({
        type: 'approval_resolved',
        approvalId: newId('approval'),
        ...(toolCallId !== undefined && { toolCallId }),
        action: 'allow',
        by: 'demo',
        outcome: 'policy',
      })
      return { action: 'allow' }
    },
    reply(approvalId, reply) {
      const resolve = waiting.get(approvalId)
      waiting.delete(approvalId)
      resolve?.(reply)
      return resolve !== undefined
    },
  }
}
