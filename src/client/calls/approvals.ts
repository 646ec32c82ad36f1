import { approvalList, approvalResult } from '../../api/approval.ts'
import type { ApprovalAnswer, ApprovalQuery } from '../../api/types.ts'
import type { Caller, CallOptions, OnceOptions } from '../caller.ts'
import { path } from '../path.ts'

/** `approvals` */
export const approvalCalls = (caller: Caller) => ({
  /** What waits for a person, oldest first. */
  list: (query: ApprovalQuery = {}, options?: CallOptions) =>
    caller.get({ path: 'approvals', query: { ...query } }, approvalList, options),
  /** The first answer wins; one that comes too late is refused. */
  answer: (approvalId: string, body: ApprovalAnswer, options?: OnceOptions) =>
    caller.once(
      { method: 'POST', path: path`approvals/${approvalId}`, body },
      approvalResult,
      options,
    ),
})
