import type { Agent } from '../../agents/agent.ts'
import type { ApprovalRule } from '../../api/types.ts'
import type { ApprovalMode } from '../../events/types.ts'
import { coversCall, decideByMode, decideByRules, type RuleSubject } from '../../policy/rules.ts'
import { type SuggestedRule, suggestRules } from '../../policy/suggest-rules.ts'
import type { RuleBook } from './rule-book.ts'
import { type RequestedCall, ruleSubject } from './rule-subject.ts'

/** The rules of one session: they decide calls, and answers add to them. */
export interface SessionRules {
  /** What the rules and the mode say about a call; undefined: a person decides. */
  decide(call: RequestedCall): AutomaticDecision | undefined
  /** Whether a rule would have allowed the call. */
  covers(rule: SuggestedRule, call: RequestedCall): boolean
  /** Rules to offer for a call, the narrowest first. */
  suggest(call: RequestedCall): SuggestedRule[]
  /** Adds a rule that allows. */
  remember(scope: 'session' | 'project', rule: SuggestedRule, by: string | undefined): void
}

/** A decision without a person. */
export interface AutomaticDecision {
  action: 'allow' | 'deny'
  by: 'rule' | 'policy'
  message: string
}

export interface SessionRulesOptions {
  book: RuleBook
  sessionId: string
  cwd: string
  agent: Pick<Agent, 'knownCall'>
  mode: ApprovalMode
  /** Receives errors, such as rules that cannot be stored. */
  onError(cause: unknown): void
}

export const createSessionRules = (options: SessionRulesOptions): SessionRules => {
  const { book, sessionId, cwd, agent, mode, onError } = options
  const subjectOf = (call: RequestedCall): RuleSubject => ruleSubject(call, agent, cwd)

  return {
    decide(call) {
      const { rules, warning } = book.list({ sessionId, cwd })
      if (warning !== undefined) {
        onError(new Error(warning))
        // What the stored rules forbid is not known, so nothing is allowed.
        return mode === 'deny' ? deniedByMode : undefined
      }
      const subject = subjectOf(call)
      const decided = decideByRules(rules, subject)
      if (decided)
        return decided.effect === 'ask' ? undefined : byRule(decided.effect, decided.rule)
      const action = decideByMode(mode, subject)
      if (action === undefined) return undefined
      return action === 'deny' ? deniedByMode : allowedByMode(mode)
    },
    covers: (rule, call) => coversCall({ effect: 'allow', ...rule }, subjectOf(call)),
    suggest: (call) => suggestRules(subjectOf(call)),
    remember(scope, rule, by) {
      const added = book.add({ sessionId, cwd }, scope, { effect: 'allow', ...rule, by })
      if ('warning' in added) onError(new Error(added.warning))
    },
  }
}

const byRule = (action: 'allow' | 'deny', rule: ApprovalRule): AutomaticDecision => {
  const { tool, pattern, scope } = rule
  const verb = action === 'allow' ? 'Allowed' : 'Denied'
  const text = pattern === undefined ? tool : `${tool}: ${pattern}`
  return { action, by: 'rule', message: `${verb} by a rule of this ${scope}: ${text}` }
}

const allowedByMode = (mode: ApprovalMode): AutomaticDecision => ({
  action: 'allow',
  by: 'policy',
  message: `Allowed by --approve ${mode}.`,
})

const deniedByMode: AutomaticDecision = {
  action: 'deny',
  by: 'policy',
  message: 'Denied by the policy of this session.',
}
