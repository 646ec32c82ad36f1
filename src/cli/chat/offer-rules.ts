import { coversCall, ruleProblem } from '../../policy/rules.ts'
import { suggestedRules } from '../../preview/preview-approval.ts'
import type { PreviewContext } from '../../preview/preview-call.ts'
import { ruleSubject } from '../../session/rules/rule-subject.ts'
import type { ApprovalRequest } from './approval-prompt.ts'
import type { OfferedRules } from './offered-rules.ts'

/** The rules that an answer can add, the narrowest first. */
export const offerRules = (
  request: ApprovalRequest,
  { agent, cwd }: PreviewContext,
): OfferedRules | undefined => {
  const { toolName: tool = '' } = request
  const [first, ...more] = suggestedRules(request, { agent, cwd })
  if (!first || !agent) return undefined
  const subject = ruleSubject(request, agent, cwd)
  return {
    tool,
    suggestions: [first, ...more],
    problemOf(rule) {
      const wanted = { effect: 'allow', ...rule } as const
      const problem = ruleProblem(wanted, subject.call?.kind)
      if (problem !== undefined) return problem
      return coversCall(wanted, subject) ? undefined : 'The pattern does not cover this call.'
    },
  }
}
