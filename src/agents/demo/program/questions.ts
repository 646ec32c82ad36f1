import type { AgentEvent } from '../../../events/types.ts'
import type { ApprovalReply } from '../../live.ts'
import { unlessStopped } from './pause.ts'
import type { Question } from './stage.ts'

/** Questions to a person that wait for their answers. */
export const createQuestions = (
  tell: (event: AgentEvent) => void,
  newId: (kind: string) => string,
) => {
  const waiting = new Map<string, (answer: ApprovalReply) => void>()

  const resolved = (approvalId: string, question: Question, answer: ApprovalReply) => {
    const { action, message, updatedInput } = answer
    const { toolCallId } = question
    tell({
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
    async ask(question: Question, signal: AbortSignal): Promise<ApprovalReply> {
      const approvalId = newId('approval')
      tell({ type: 'approval_request', approvalId, ...question })
      const answer = await unlessStopped<ApprovalReply>(signal, (resolve) => {
        waiting.set(approvalId, resolve)
        return () => waiting.delete(approvalId)
      })
      resolved(approvalId, question, answer)
      return answer
    },
    /** A run that prints its stream and ends has nobody to ask: the demo does no harm. */
    async allow({ toolCallId }: Question): Promise<ApprovalReply> {
      tell({
        type: 'approval_resolved',
        approvalId: newId('approval'),
        ...(toolCallId !== undefined && { toolCallId }),
        action: 'allow',
        by: 'demo',
        outcome: 'policy',
      })
      return { action: 'allow' }
    },
    /** False when the question is not open. */
    answer(approvalId: string, answer: ApprovalReply): boolean {
      const resolve = waiting.get(approvalId)
      waiting.delete(approvalId)
      resolve?.(answer)
      return resolve !== undefined
    },
  }
}
