import type { ApprovalKind, EventOf } from '../../events/types.ts'
import { defined, type Fields, stringIn, stringOf } from '../../shared/fields.ts'
import { questionsIn } from '../tool-calls/questions.ts'
import { permissionOptions } from './permission-options.ts'

/**
 * What a person decides when Claude Code requests permission, by its control protocol or by a hook.
 * `request.input` has the arguments, and `calledInput` those that the model gave, if that is known.
 */
export const permissionRequest = (
  approvalId: string,
  request: Fields,
  { toolCallId, calledInput }: { toolCallId?: string | undefined; calledInput?: unknown },
): EventOf<'approval_request'> => {
  const toolName = stringOf(request.tool_name)
  const kind = kindOf(toolName)
  const questions = kind === 'question' ? questionsIn(request.input) : []
  return {
    type: 'approval_request',
    approvalId,
    kind,
    ...defined({
      toolCallId,
      toolName,
      args: request.input,
      questions: questions.length > 0 ? questions : undefined,
      plan: kind === 'plan' ? planOf(request.input, calledInput) : undefined,
      reasoning: stringOf(request.description),
    }),
    ...(kind === 'tool' && { options: permissionOptions(request) }),
    ...(kind === 'plan' && { canAcceptEdits: true }),
  }
}

/** Tools that exist to ask a person; every other tool wants to run. */
const askingTools = new Map<string, ApprovalKind>([
  ['AskUserQuestion', 'question'],
  ['ExitPlanMode', 'plan'],
])

/** Since 2.1.325 the request has the plan only if it was written to a file; the call may still have it. */
const planOf = (requested: unknown, called: unknown): string | undefined =>
  stringIn(requested, 'plan') ?? stringIn(called, 'plan')

/** A request that names no tool is a question: no rule about tools can match it. */
const kindOf = (toolName: string | undefined): ApprovalKind =>
  toolName === undefined ? 'question' : (askingTools.get(toolName) ?? 'tool')
