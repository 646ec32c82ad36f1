import type { ApprovalKind } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, listOf, stringIn, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { questionsIn } from '../tool-calls/questions.ts'
import { toolKindOf } from '../tool-calls/tool-kind.ts'

/** The permission requests of Qwen Code, and what its own rules denied. */
export interface QwenPermissions {
  request(approvalId: string, request: Fields): void
  /** A call has its result: its request is answered. */
  answered(toolCallId: string): void
  /** The denials in a `result` line. Those of a person are not among them. */
  denials(line: Fields): void
  close(): void
}

export const createQwenPermissions = (emit: Emit): QwenPermissions => {
  /** The open requests, each with its call. */
  const open = new Map<string, string | undefined>()
  /** The ids of all requests: one that is repeated is shown once. */
  const requested = new Set<string>()
  /** Calls with a request or a denial. */
  const decided = new Set<string>()

  return {
    request(approvalId, request) {
      if (requested.has(approvalId)) return
      requested.add(approvalId)
      const toolCallId = stringOf(request.tool_use_id)
      const toolName = stringOf(request.tool_name)
      const kind = kindOf(toolName)
      const questions = kind === 'question' ? questionsIn(request.input) : []
      open.set(approvalId, toolCallId)
      if (toolCallId !== undefined) decided.add(toolCallId)
      emit({
        type: 'approval_request',
        approvalId,
        kind,
        ...defined({
          toolCallId,
          toolName,
          args: request.input,
          questions: questions.length > 0 ? questions : undefined,
          plan: kind === 'plan' ? stringIn(request.input, 'plan') : undefined,
        }),
      })
    },
    answered(toolCallId) {
      for (const [id, call] of open) if (call === toolCallId) open.delete(id)
    },
    denials(line) {
      for (const item of listOf(line.permission_denials)) {
        const toolCallId = stringOf(fieldsOf(item).tool_use_id)
        if (toolCallId === undefined || decided.has(toolCallId)) continue
        decided.add(toolCallId)
        const outcome = { action: 'deny', by: 'agent', outcome: 'policy' } as const
        emit({ type: 'approval_resolved', approvalId: toolCallId, toolCallId, ...outcome })
      }
    },
    close() {
      const outcome = { action: 'deny', outcome: 'agent_gone' } as const
      for (const [approvalId, toolCallId] of open)
        emit({ type: 'approval_resolved', approvalId, ...defined({ toolCallId }), ...outcome })
      open.clear()
    },
  }
}

const kindOf = (toolName: string | undefined): ApprovalKind => {
  const kind = toolKindOf(toolName ?? '')
  return kind === 'question' || kind === 'plan' ? kind : 'tool'
}
