import type { DecisionOption } from '../../events/types.ts'
import { type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import { type Emit, inside } from '../emit.ts'
import { callInput } from './tool-result.ts'
import type { Tools } from './tools.ts'

/** The permission requests of the agent. */
export interface Permissions {
  /** The agent requests permission for a call. */
  request(rpcId: string | number, params: Fields): void
  /** The agent withdraws a request. */
  cancel(rpcId: unknown): void
  /** The request behind an approval; undefined if it is no longer open. It is closed by this. */
  take(approvalId: string): PermissionRequest | undefined
  /** All requests that are open. They are closed by this. */
  takeAll(): PermissionRequest[]
  /** The run is over, so nobody waits for an answer. */
  clear(): void
  /** The process is gone: ends the requests that are open. */
  close(): void
}

export interface PermissionRequest {
  approvalId: string
  rpcId: string | number
  toolCallId: string | undefined
  options: DecisionOption[]
  emit: Emit
}

export const createPermissions = (scope: string, emit: Emit, tools: Tools): Permissions => {
  const open = new Map<string, PermissionRequest>()
  let count = 0

  const takeAll = () => {
    const all = [...open.values()]
    open.clear()
    return all
  }

  return {
    request(rpcId, params) {
      const update = fieldsOf(params.toolCall)
      const toolCallId = stringOf(update.toolCallId)
      tools.update(update, 'permission')
      const call = toolCallId === undefined ? undefined : tools.callOf(toolCallId)
      count += 1
      const approvalId = `${scope}permission-${count}`
      const request = {
        ...{ approvalId, rpcId, toolCallId },
        options: listOf(params.options).flatMap(optionOf),
        emit: inside(emit, call?.parent),
      }
      open.set(approvalId, request)
      request.emit({
        type: 'approval_request',
        approvalId,
        kind: 'tool',
        ...(toolCallId !== undefined && { toolCallId }),
        ...(call && { toolName: call.name }),
        args: callInput(call?.fields ?? update),
        ...(request.options.length > 0 && { options: request.options }),
      })
    },
    cancel(rpcId) {
      for (const request of open.values()) {
        if (request.rpcId !== rpcId) continue
        const { approvalId } = request
        open.delete(approvalId)
        const outcome = { action: 'deny', by: 'agent', outcome: 'cancelled' } as const
        request.emit({ type: 'approval_resolved', approvalId, ...outcome })
      }
    },
    take(approvalId) {
      const request = open.get(approvalId)
      open.delete(approvalId)
      return request
    },
    takeAll,
    clear: () => open.clear(),
    close() {
      for (const { approvalId, emit: emitRequest } of takeAll())
        emitRequest({
          type: 'approval_resolved',
          approvalId,
          action: 'deny',
          outcome: 'agent_gone',
        })
    },
  }
}

/** A choice of the agent. One of an unknown kind is left out: nobody can say what it does. */
const optionOf = (value: unknown): DecisionOption[] => {
  const { optionId, name, kind } = fieldsOf(value)
  const known = kinds.find((each) => each === kind)
  if (typeof optionId !== 'string' || known === undefined) return []
  return [{ id: optionId, label: stringOf(name) ?? optionId, kind: known }]
}

const kinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const
