import type { AgentEvent, ApprovalKind } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import { questionsIn } from '../tool-calls/questions.ts'

/** Permission questions, and the refusals that came without one. */
export const createApprovals = (emit: (event: AgentEvent) => void) => {
  const open = new Map<string, string | undefined>()
  const decided = new Set<string>()

  const policy = (toolCallId: string | undefined, message: string | undefined) => {
    if (toolCallId === undefined || decided.has(toolCallId)) return
    decided.add(toolCallId)
    emit({
      type: 'approval_resolved',
      approvalId: toolCallId,
      toolCallId,
      action: 'deny',
      by: 'agent',
      outcome: 'policy',
      ...defined({ message }),
    })
  }

  return {
    /** `call`: the one that it must be about, for versions that do not say (1.0). */
    ask(approvalId: string, request: Fields, call: string | undefined) {
      const toolCallId = stringOf(request.tool_use_id) ?? call
      open.set(approvalId, toolCallId)
      if (toolCallId !== undefined) decided.add(toolCallId)
      const toolName = stringOf(request.tool_name)
      const kind = kindOf(toolName)
      const questions = kind === 'question' ? questionsIn(request.input) : []
      emit({
        type: 'approval_request',
        approvalId,
        kind,
        ...defined({
          toolCallId,
          toolName,
          args: request.input,
          questions: questions.length > 0 ? questions : undefined,
          reasoning: stringOf(request.description),
        }),
      })
    },
    cancel(approvalId: string) {
      if (!open.delete(approvalId)) return
      emit({
        type: 'approval_resolved',
        approvalId,
        action: 'deny',
        by: 'agent',
        outcome: 'cancelled',
      })
    },
    /** The agent’s own rules said no. */
    denied: (line: Fields) => policy(stringOf(line.tool_use_id), stringOf(line.message)),
    /** Versions before 2.1.325 tell only at the end of the turn. */
    denials(result: Fields) {
      for (const item of listOf(result.permission_denials))
        policy(stringOf(fieldsOf(item).tool_use_id), undefined)
    },
    /** The tool went on or was refused: its question has been answered. */
    answered(toolCallId: string | undefined) {
      for (const [id, call] of open) if (call === toolCallId || call === undefined) open.delete(id)
    },
    close() {
      const gone = { action: 'deny', outcome: 'agent_gone' } as const
      for (const [approvalId, toolCallId] of open)
        emit({ type: 'approval_resolved', approvalId, ...defined({ toolCallId }), ...gone })
      open.clear()
    },
  }
}

/** Tools that exist to ask a person; every other tool wants to run. */
const askingTools = new Map<string, ApprovalKind>([
  ['AskUserQuestion', 'question'],
  ['ExitPlanMode', 'plan'],
])

/** A request that names no tool is a question: no rule about tools can match it. */
const kindOf = (toolName: string | undefined): ApprovalKind =>
  toolName === undefined ? 'question' : (askingTools.get(toolName) ?? 'tool')
