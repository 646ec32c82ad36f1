import type { EventOf } from '../../events/types.ts'
import type { Style } from '../../handler/style.ts'
import type { CallPreview } from '../../preview/preview-call.ts'
import type { ApprovalDecision } from '../../session/conversation/session.ts'
import { budgetPrompt } from './budget-prompt.ts'
import { dialogPrompt } from './dialog-prompt.ts'
import type { OfferedRules, Refusal } from './offered-rules.ts'
import type { QuestionLine } from './pages.ts'
import { planPrompt } from './plan-prompt.ts'
import { questionPrompt } from './question-prompt.ts'
import { confirmPrompt, toolPrompt } from './tool-prompt.ts'

export type ApprovalRequest = EventOf<'approval_request'>

/** An approval request as the terminal shows it. */
export interface ApprovalPrompt {
  title: string
  /** Everything that the request is about: the arguments of the call, or the choices. */
  lines: readonly QuestionLine[]
  /** What to look at closely. */
  warnings: readonly string[]
  /** What can be typed. */
  keys: readonly string[]
  /** Whether a line that was pasted may be the answer, because it is a text of the person’s own. */
  acceptsPasted?(line: string): boolean
  /** The decision, the next question, or what is wrong; undefined when the line is not an answer. */
  read(line: string): ApprovalDecision | ApprovalPrompt | Refusal | undefined
}

/** What a prompt needs besides the request. */
export interface PromptContext {
  style: Style
  /** What the request would do. */
  preview: CallPreview
  /** Rules that could allow the call from now on; absent if there are none. */
  rules?: OfferedRules | undefined
}

/** The prompt for a request, by the kind of answer that it needs. */
export const promptFor = (request: ApprovalRequest, context: PromptContext): ApprovalPrompt => {
  const { kind, toolName, dialog, budget, questions = [], options } = request
  if (budget) return budgetPrompt(budget)
  if (dialog && dialog.kind !== 'form') return dialogPrompt(dialog, context.style)
  if (kind === 'plan') return planPrompt(request, context)
  const [first, ...more] = questions
  if (first) return questionPrompt([first, ...more], context.style, dialog)
  if (toolName !== undefined) return toolPrompt(toolName, context, options)
  return options ? toolPrompt('this', context, options) : confirmPrompt('Continue?', context)
}
