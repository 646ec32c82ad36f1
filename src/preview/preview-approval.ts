import { readerOfAgent } from '../agents/known-agents.ts'
import type { Approval, ApprovalPreview } from '../api/types.ts'
import { coversCall } from '../policy/rules.ts'
import { type SuggestedRule, suggestRules } from '../policy/suggest-rules.ts'
import { type RequestedCall, ruleSubject } from '../session/rules/rule-subject.ts'
import { defined } from '../shared/fields.ts'
import { type PreviewContext, previewCall } from './preview-call.ts'

/** An approval that waits for a person. */
export interface PreviewedApproval extends RequestedCall {
  readonly approvalId: string
  readonly kind: Approval['kind']
  readonly hash?: string | undefined
}

/** The session that the approval belongs to. */
export interface PreviewedSession {
  /** The name of its agent. */
  readonly agent: string
  readonly agentTitle?: string | undefined
  readonly cwd: string
}

/** What an approval would allow, as a person should see it, and the rules to offer with it. */
export const previewApproval = async (
  { approvalId, hash, kind, toolName, args }: PreviewedApproval,
  session: PreviewedSession,
): Promise<ApprovalPreview> => {
  const { cwd } = session
  const agent = await agentOf(session)
  const preview = await previewCall({ toolName, args }, { agent, cwd })
  const suggestions = suggestedRules({ kind, toolName, args }, { agent, cwd })
  const canRewrite = agent?.capabilities.rewrite === true
  return { approvalId, ...defined({ hash }), suggestions, canRewrite, ...preview }
}

/** Rules to offer with an approval, the narrowest first. They cover tools only, never questions. */
export const suggestedRules = (
  { kind, ...call }: RequestedCall & Pick<PreviewedApproval, 'kind'>,
  { agent, cwd }: PreviewContext,
): SuggestedRule[] => (agent && kind === 'tool' ? suggestRules(ruleSubject(call, agent, cwd)) : [])

/** Whether a rule would have allowed a call. */
export const ruleCovers = async (
  rule: SuggestedRule,
  call: RequestedCall,
  session: PreviewedSession,
): Promise<boolean> => {
  const agent = await agentOf(session)
  if (!agent) return false
  return coversCall({ effect: 'allow', ...rule }, ruleSubject(call, agent, session.cwd))
}

const agentOf = async ({ agent }: PreviewedSession) => readerOfAgent(agent)?.load()
