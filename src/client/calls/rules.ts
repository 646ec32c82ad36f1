import type { ApprovalRule, NewProjectRule, NewSessionRule, RuleList } from '../../api/types.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { hasFields } from '../response.ts'
import { path } from '../transport.ts'
import { type ConfirmOptions, proofHeaders } from './passkeys.ts'

/** Calls about the rules that decide approvals without a person. */
export interface RuleCalls {
  /** Returns the rules that hold for a session: its own, and the stored ones of its directory. */
  ofSession(sessionId: string, options?: CallOptions): Promise<RuleList>
  /** Adds a rule for a session, or with `scope: 'project'` for its directory. */
  addToSession(
    sessionId: string,
    rule: NewSessionRule,
    options?: ConfirmOptions,
  ): Promise<ApprovalRule>
  /** Removes a rule of a session, or of its directory. */
  removeFromSession(sessionId: string, ruleId: string, options?: ConfirmOptions): Promise<void>
  /** Returns the stored rules of a project. */
  ofProject(projectId: string, options?: CallOptions): Promise<RuleList>
  /** Adds a rule for every session of a project. */
  addToProject(
    projectId: string,
    rule: NewProjectRule,
    options?: ConfirmOptions,
  ): Promise<ApprovalRule>
  /** Removes a rule of a project. */
  removeFromProject(projectId: string, ruleId: string, options?: ConfirmOptions): Promise<void>
}

const isRuleList = hasFields<RuleList>('mode', 'rules')
const isRule = hasFields<ApprovalRule>('id', 'effect', 'tool')

export const ruleCalls = (caller: Caller): RuleCalls => ({
  ofSession: (id, options) =>
    caller.json({ path: path`sessions/${id}/rules` }, isRuleList, options),
  addToSession: (id, body, { proof, ...options } = {}) =>
    caller.json(
      { method: 'POST', path: path`sessions/${id}/rules`, body, headers: proofHeaders(proof) },
      isRule,
      options,
    ),
  removeFromSession: (id, ruleId, { proof, ...options } = {}) =>
    caller.empty(
      {
        method: 'DELETE',
        path: path`sessions/${id}/rules/${ruleId}`,
        headers: proofHeaders(proof),
      },
      options,
    ),
  ofProject: (id, options) =>
    caller.json({ path: path`projects/${id}/rules` }, isRuleList, options),
  addToProject: (id, body, { proof, ...options } = {}) =>
    caller.json(
      { method: 'POST', path: path`projects/${id}/rules`, body, headers: proofHeaders(proof) },
      isRule,
      options,
    ),
  removeFromProject: (id, ruleId, { proof, ...options } = {}) =>
    caller.empty(
      {
        method: 'DELETE',
        path: path`projects/${id}/rules/${ruleId}`,
        headers: proofHeaders(proof),
      },
      options,
    ),
})
