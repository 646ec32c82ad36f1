import type { ApprovalRule } from '../../api/types.ts'
import type { RuleSuggestion } from '../../events/types.ts'
import type { Style } from '../../handler/style.ts'
import type { CallPreview } from '../../preview/preview-call.ts'
import type { ApprovalDecision } from '../../session/conversation/session.ts'
import { drawLine } from './drawn-text.ts'

/** Rules that an answer can add, so that later calls are not asked about. */
export interface OfferedRules {
  tool: string
  /** The narrowest first; at least one. */
  suggestions: readonly [RuleSuggestion, ...RuleSuggestion[]]
  /** Why a rule cannot be added with this call; undefined if it can. */
  problemOf(rule: RuleSuggestion): string | undefined
}

/** A line that was meant as an answer and is none. */
export interface Refusal {
  problem: string
}

/** What can be typed to allow later calls, too: the narrowest rule first. */
export const ruleKeys = (
  { suggestions }: OfferedRules,
  preview: CallPreview,
  style: Style,
): string[] => {
  const [narrowest, wider] = suggestions
  const isSame = preview.kind === 'command' && preview.command === narrowest.pattern
  const what = isSame ? 'the same command' : ruleText(narrowest, style)
  const example = (wider ?? narrowest).pattern ?? '*'
  return [
    `s yes, and in this session from now on: ${what} · p in this project`,
    ...(wider ? [`or with a pattern of yours, such as: s ${drawLine(example, style)}`] : []),
  ]
}

/** Reads `s`, `p`, or one of them with a pattern; undefined when the line is neither. */
export const rememberedRuleIn = (
  line: string,
  { tool, suggestions, problemOf }: OfferedRules,
): ApprovalDecision | Refusal | undefined => {
  const [, key, pattern] = /^([sp])(?:\s+(.+))?$/i.exec(line) ?? []
  if (key === undefined) return undefined
  const scope = key.toLowerCase() === 's' ? 'session' : 'project'
  const typed = pattern === '*' ? { tool } : { tool, ...(pattern !== undefined && { pattern }) }
  const rule = pattern === undefined ? suggestions[0] : typed
  const problem = problemOf(rule)
  if (problem !== undefined) return { problem }
  return { action: 'allow', remember: { scope, rule }, by: 'person' }
}

/** What a rule covers, in one line. */
const ruleText = ({ tool, pattern }: RuleSuggestion, style: Style): string =>
  drawLine(pattern === undefined ? `every ${tool} in the project` : `${tool} ${pattern}`, style)

/** A rule as the audit has it. */
export const ruleDetail = (
  rule: RuleSuggestion & Pick<ApprovalRule, 'scope' | 'effect'>,
): string => {
  const { scope, effect, tool, pattern } = rule
  return [`${scope}: ${effect} ${tool}`, ...(pattern === undefined ? [] : [pattern])].join(' ')
}
