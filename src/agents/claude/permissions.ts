import { defined, type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import { type Emit, inside } from '../emit.ts'
import { permissionRequest } from './permission-request.ts'

/** Permission requests, and the denials of the agent’s own rules. */
export interface Permissions {
  /** The agent requests permission for a call. */
  request(approvalId: string, request: Fields, call: CallToPermit): void
  /** The agent withdraws a request. */
  cancel(approvalId: string): void
  /** A rule of the agent denied a call. */
  denied(line: Fields): void
  /** The denials in a `result` line: versions before 2.1.325 report them only there. */
  denials(result: Fields): void
  /** The call continued or was refused, so its request is answered. */
  answered(toolCallId: string | undefined): void
  /** The process is gone: ends the requests that are open. */
  close(): void
}

/** The call that a permission request is about. */
export interface CallToPermit {
  toolCallId: string | undefined
  /** The arguments that the model gave it. */
  input: unknown
  /** The call of the subagent that made it. */
  parentToolCallId: string | undefined
}

interface OpenRequest {
  toolCallId: string | undefined
  emit: Emit
}

export const createPermissions = (
  emit: Emit,
  parentOf: (toolCallId: string | undefined) => string | undefined,
): Permissions => {
  const open = new Map<string, OpenRequest>()
  /** Calls with a request or a denial. */
  const decided = new Set<string>()

  const deny = (toolCallId: string | undefined, message: string | undefined) => {
    if (toolCallId === undefined || decided.has(toolCallId)) return
    decided.add(toolCallId)
    inside(
      emit,
      parentOf(toolCallId),
    )({
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
    request(approvalId, request, { toolCallId, input, parentToolCallId }) {
      const emitRequest = inside(emit, parentToolCallId)
      open.set(approvalId, { toolCallId, emit: emitRequest })
      if (toolCallId !== undefined) decided.add(toolCallId)
      emitRequest(permissionRequest(approvalId, request, { toolCallId, calledInput: input }))
    },
    cancel(approvalId) {
      const request = open.get(approvalId)
      if (!request) return
      open.delete(approvalId)
      const outcome = { action: 'deny', by: 'agent', outcome: 'cancelled' } as const
      request.emit({ type: 'approval_resolved', approvalId, ...outcome })
    },
    denied: (line) => deny(stringOf(line.tool_use_id), stringOf(line.message)),
    denials(result) {
      for (const item of listOf(result.permission_denials))
        deny(stringOf(fieldsOf(item).tool_use_id), undefined)
    },
    answered(toolCallId) {
      for (const [id, request] of open)
        if (request.toolCallId === toolCallId || request.toolCallId === undefined) open.delete(id)
    },
    close() {
      const outcome = { action: 'deny', outcome: 'agent_gone' } as const
      for (const [approvalId, { toolCallId, emit }] of open)
        emit({ type: 'approval_resolved', approvalId, ...defined({ toolCallId }), ...outcome })
      open.clear()
    },
  }
}
