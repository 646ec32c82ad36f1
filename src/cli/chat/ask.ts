import type { EventOf } from '../../events/types.ts'
import type { ApprovalDecision } from '../../session/conversation/approvals.ts'
import { askDialog } from './dialog.ts'
import { askToGoOn, askTool } from './permission.ts'
import { askQuestions, questionsOf } from './questions.ts'

export type Request = EventOf<'approval_request'>

/** A request as a person is asked it. */
export interface Ask {
  title: string
  /** What it is about, and what there is to choose from. */
  lines: readonly string[]
  /** What can be typed. */
  keys: string
  /** The decision, or what is asked next; undefined where a line answers nothing. */
  read(line: string): ApprovalDecision | Ask | undefined
}

/** How a request is asked: by what kind of answer it takes. */
export const askOf = (request: Request): Ask => {
  const { toolName, args, dialog } = request
  // Before the tool: a dialog may come while one runs, and is not about it.
  if (dialog) return askDialog(dialog)
  if (toolName === undefined) return askToGoOn('Go on?', request)
  if (toolName === 'ExitPlanMode') return askToGoOn('Go on with this plan?', request)
  const [first, ...more] = toolName === 'AskUserQuestion' ? questionsOf(args) : []
  return first ? askQuestions(args, [first, ...more]) : askTool(toolName, request)
}
