import type { ApprovalAnswer } from '../../api/types.ts'
import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/client.ts'
import type { ApprovalDecision } from '../../session/conversation/session.ts'
import { defined } from '../../shared/fields.ts'
import type { ApprovalRequest } from '../chat/approval-prompt.ts'
import type { RequestPreview } from '../chat/chat-backend.ts'

/** What an approval on a server would allow, and the rules to offer with it. */
export const previewOnServer = async (
  client: Client,
  request: ApprovalRequest,
): Promise<RequestPreview> => {
  try {
    const {
      suggestions,
      hash,
      approvalId,
      canRewrite: _,
      ...preview
    } = await client.approvals.preview(request.approvalId)
    const [first, ...more] = suggestions
    if (hash !== request.hash || approvalId !== request.approvalId) return wholeRequest(request)
    if (!first) return { preview }
    const tool = request.toolName ?? ''
    // The server checks a rule when it gets the answer.
    return { preview, rules: { tool, suggestions: [first, ...more], problemOf: () => undefined } }
  } catch (cause) {
    if (cause instanceof ApiError) return wholeRequest(request)
    throw cause
  }
}

/** A request that cannot be previewed is shown whole. */
const wholeRequest = ({ args }: ApprovalRequest): RequestPreview => ({
  preview: { kind: 'arguments', args },
})

/** Answers over somebody else’s answer, or after the deadline, change nothing and are no problem. */
const lateCodes = ['approval_resolved', 'unknown_approval', 'gone']

/** Answers an approval on a server. Returns why not, if it is still open. */
export const answerOnServer = async (
  client: Client,
  request: ApprovalRequest | undefined,
  decision: ApprovalDecision,
): Promise<string | undefined> => {
  if (!request) return undefined
  const { action, optionId, message, answers, acceptEdits, value, remember, raise } = decision
  const { hash } = request
  const answer: ApprovalAnswer = {
    action,
    ...defined({ hash, optionId, message, answers, acceptEdits, value, remember, raise }),
  }
  try {
    await client.approvals.answer(request.approvalId, answer)
    return undefined
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    return lateCodes.includes(cause.code) ? undefined : cause.detail
  }
}
