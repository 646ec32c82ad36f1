import type {
  Approval,
  ApprovalAnswer,
  ApprovalPreview,
  ApprovalQuery,
  ApprovalResult,
  PasskeyProof,
} from '../../api/types.ts'
import type { Caller, CallOptions, OnceOptions } from '../caller.ts'
import { hasFields } from '../response.ts'
import { path } from '../transport.ts'
import { proofHeaders } from './passkeys.ts'

/** Options of an answer. */
export interface AnswerOptions extends OnceOptions {
  /** What a passkey returned for the challenge, on a server that requires it. */
  proof?: PasskeyProof
}

/** Calls about approvals. */
export interface ApprovalCalls {
  /** Returns the pending approvals, oldest first. */
  list(query?: ApprovalQuery, options?: CallOptions): Promise<Approval[]>
  /** Returns what an approval would allow, as a person should see it. */
  preview(approvalId: string, options?: CallOptions): Promise<ApprovalPreview>
  /** Answers an approval. The first answer wins; later ones are refused. */
  answer(
    approvalId: string,
    answer: ApprovalAnswer,
    options?: AnswerOptions,
  ): Promise<ApprovalResult>
}

const isApprovalList = (value: unknown): value is Approval[] => Array.isArray(value)
const isApprovalPreview = hasFields<ApprovalPreview>('approvalId', 'kind')
const isApprovalResult = hasFields<ApprovalResult>('approvalId', 'outcome')

export const approvalCalls = (caller: Caller): ApprovalCalls => ({
  list: (query = {}, options) =>
    caller.json({ path: 'approvals', query: { ...query } }, isApprovalList, options),
  preview: (approvalId, options) =>
    caller.json({ path: path`approvals/${approvalId}/preview` }, isApprovalPreview, options),
  answer: (approvalId, body, { proof, ...options } = {}) =>
    caller.once(
      {
        method: 'POST',
        path: path`approvals/${approvalId}`,
        body,
        headers: proofHeaders(proof),
      },
      isApprovalResult,
      options,
    ),
})
