import { fieldsOf } from '../../shared/fields.ts'
import type { ApprovalPrompt, ApprovalRequest, PromptContext } from './approval-prompt.ts'
import { drawText } from './drawn-text.ts'
import { joined, quoted, requestLines } from './request-lines.ts'
import { isKey, verdictIn } from './tool-prompt.ts'

/** Asks whether the agent may carry out its plan. */
export const planPrompt = (
  { plan, args, canAcceptEdits }: ApprovalRequest,
  { style, preview }: PromptContext,
): ApprovalPrompt => ({
  title: 'Approve this plan?',
  ...(plan === undefined
    ? requestLines(preview, style)
    : joined(
        quoted(drawText(plan, style)),
        requestLines({ kind: 'arguments', args: withoutPlan(args, plan) }, style),
      )),
  keys: [
    `y yes${canAcceptEdits ? ' · e yes, and accept edits' : ''} · n no · or type what to change`,
  ],
  read: (line) =>
    canAcceptEdits && isKey(line, 'e')
      ? { action: 'allow', acceptEdits: true, by: 'person' }
      : verdictIn(line),
})

const withoutPlan = (args: unknown, plan: string) =>
  Object.fromEntries(Object.entries(fieldsOf(args)).filter(([, value]) => value !== plan))
