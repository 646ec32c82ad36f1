import { allows, offersDecision, optionChoices } from '../../events/chosen-option.ts'
import type { DecisionOption } from '../../events/types.ts'
import type { ApprovalDecision } from '../../session/conversation/session.ts'
import type { ApprovalPrompt, PromptContext } from './approval-prompt.ts'
import { drawLine, drawText } from './drawn-text.ts'
import { type Refusal, rememberedRuleIn, ruleKeys } from './offered-rules.ts'
import { requestLines } from './request-lines.ts'

/** Asks whether a tool may run. */
export const toolPrompt = (
  toolName: string,
  { style, preview, rules }: PromptContext,
  options: readonly DecisionOption[] = [],
): ApprovalPrompt => {
  const { allow, deny, others } = optionChoices(options)
  const labelled = (plain: string, option: DecisionOption | undefined): string =>
    option ? `${plain}: ${drawLine(option.label, style)}` : plain
  const yes = offersDecision(options, { action: 'allow' }) ? [labelled('y yes, once', allow)] : []
  const name = drawText(toolName, style)
  const { lines, warnings } = requestLines(preview, style)
  return {
    title: `Allow ${name.lines.join(' ')}?`,
    lines,
    warnings: [...new Set([...name.warnings, ...warnings])],
    keys: [
      [...yes, labelled('n no', deny), 'or type what to do instead'].join(' · '),
      ...(rules ? ruleKeys(rules, preview, style) : []),
      ...others.map(({ label }, index) => `${index + 1} ${drawLine(label, style)}`),
    ],
    read: (line) =>
      (rules && rememberedRuleIn(line, rules)) ??
      choiceIn(line, others) ??
      plainVerdictIn(line, options),
  }
}

/** The choice of the agent that a number stands for; undefined when the line is not a number. */
const choiceIn = (
  line: string,
  choices: readonly DecisionOption[],
): ApprovalDecision | undefined => {
  const choice = /^\d+$/.test(line) ? choices[Number(line) - 1] : undefined
  if (!choice) return undefined
  const action = allows(choice) ? 'allow' : 'deny'
  return { action, optionId: choice.id, by: 'person' }
}

/** Yes and no, unless the agent offers to allow only with more than that. */
const plainVerdictIn = (line: string, options: readonly DecisionOption[]) => {
  const verdict = verdictIn(line)
  if (!verdict || 'problem' in verdict) return verdict
  const { allow, deny } = optionChoices(options)
  const option = verdict.action === 'allow' ? allow : deny
  if (option) return { ...verdict, optionId: option.id }
  if (offersDecision(options, verdict)) return verdict
  return { problem: 'The agent does not offer to allow this once. Type the number of a choice.' }
}

/** Asks whether the agent may continue. The answer holds once, never for the whole session. */
export const confirmPrompt = (
  title: string,
  { style, preview }: PromptContext,
): ApprovalPrompt => ({
  title,
  ...requestLines(preview, style),
  keys: ['y yes · n no · or type what to do instead'],
  read: verdictIn,
})

/** Reads yes or no; undefined when the line is neither. */
export const yesOrNo = (line: string): ApprovalDecision | undefined => {
  if (isKey(line, 'y') || isKey(line, 'yes')) return { action: 'allow', by: 'person' }
  return isDenial(line) ? { action: 'deny', by: 'person' } : undefined
}

/** Whether a line denies. `d` works on every page of a request. */
export const isDenial = (line: string): boolean =>
  isKey(line, 'n') || isKey(line, 'no') || isKey(line, 'd')

/**
 * Any other text denies, and is sent to the agent as the reason. A single letter is a typo, and a
 * command of the chat is none.
 */
export const verdictIn = (line: string): ApprovalDecision | Refusal | undefined => {
  const decided = yesOrNo(line)
  if (decided || line === '') return decided
  if (line.startsWith('/')) return { problem: 'Answer this first. Commands work after it.' }
  if (line.length < 2) return { problem: 'This letter is not an answer. The request still waits.' }
  return { action: 'deny', message: line, by: 'person' }
}

export const isKey = (line: string, key: string): boolean => line.toLowerCase() === key
