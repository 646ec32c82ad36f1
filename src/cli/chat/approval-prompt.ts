import type { EventOf } from '../../events/types.ts'
import type { ApprovalDecision } from '../../session/conversation/session.ts'
import { dialogPrompt } from './dialog-prompt.ts'
import { questionPrompt } from './question-prompt.ts'
import { confirmPrompt, toolPrompt } from './tool-prompt.ts'

export type ApprovalRequest = EventOf<'approval_request'>

/** An approval request as the terminal shows it. */
export interface ApprovalPrompt {
  title: string
  /** The arguments of the call, or the choices. */
  lines: readonly string[]
  /** What can be typed. */
  keys: string
  /** The decision, or the next question; undefined when the line is not an answer. */
  read(line: string): ApprovalDecision | ApprovalPrompt | undefined
}

/** The prompt for a request, by the kind of answer that it needs. */
export const promptFor = (request: ApprovalRequest): ApprovalPrompt => {
  const { kind, toolName, dialog, questions = [] } = request
  if (dialog) return dialogPrompt(dialog)
  if (kind === 'plan') return confirmPrompt('Approve this plan?', request)
  const [first, ...more] = questions
  if (first) return questionPrompt([first, ...more])
  return toolName === undefined
    ? confirmPrompt('Continue?', request)
    : toolPrompt(toolName, request)
}
