import type { DecisionOption } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import { type Elicitation, readElicitation } from '../elicitation.ts'
import { type Emit, inside } from '../emit.ts'
import { shownInput } from './shown-calls.ts'
import type { Tools } from './tools.ts'

/** What the agent requests of a person: permissions for calls, and input. */
export interface Permissions {
  /** The agent requests permission for a call. */
  request(rpcId: string | number, params: Fields): void
  /** The agent requests input. If a person cannot be shown the request, a notice says so. */
  elicit(rpcId: string | number, params: Fields): void
  /** Whether a request waits for a person. */
  isOpen(rpcId: string | number): boolean
  /** The agent reports that an address was used. Returns the request that waited for that. */
  elicitationCompleted(elicitationId: unknown): PermissionRequest | undefined
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
  /** What was requested instead of a permission. */
  elicitation?: Elicitation
  emit: Emit
}

export interface PermissionsOptions {
  scope: string
  /** What people call the agent. */
  title: string
  emit: Emit
  tools: Tools
}

export const createPermissions = (options: PermissionsOptions): Permissions => {
  const { scope, tools } = options
  const open = new Map<string, PermissionRequest>()
  let count = 0
  const nextId = () => {
    count += 1
    return `${scope}permission-${count}`
  }
  const find = (isIt: (request: PermissionRequest) => boolean) => [...open.values()].find(isIt)

  const withdraw = (request: PermissionRequest | undefined, action: 'allow' | 'deny') => {
    if (!request) return
    const { approvalId, emit } = request
    open.delete(approvalId)
    emit({ type: 'approval_resolved', approvalId, action, by: 'agent', outcome: 'cancelled' })
  }

  const takeAll = () => {
    const all = [...open.values()]
    open.clear()
    return all
  }

  return {
    request(rpcId, params) {
      const request = permissionRequest(options, params, { approvalId: nextId(), rpcId })
      open.set(request.approvalId, request)
      emitPermission(request, params, tools)
    },
    elicit(rpcId, params) {
      const request = elicitationRequest(options, params, { approvalId: nextId(), rpcId })
      if (request) open.set(request.approvalId, request)
    },
    isOpen: (rpcId) => find((each) => each.rpcId === rpcId) !== undefined,
    elicitationCompleted(id) {
      const found = find(({ elicitation }) => id !== undefined && elicitation?.elicitationId === id)
      withdraw(found, 'allow')
      return found
    },
    cancel: (rpcId) =>
      withdraw(
        find((each) => each.rpcId === rpcId),
        'deny',
      ),
    take(approvalId) {
      const request = open.get(approvalId)
      open.delete(approvalId)
      return request
    },
    takeAll,
    clear() {
      // A request for input can be about something else than the run.
      for (const { approvalId, elicitation } of open.values())
        if (!elicitation) open.delete(approvalId)
    },
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

type RequestIds = Pick<PermissionRequest, 'approvalId' | 'rpcId'>

const permissionRequest = (
  { emit, tools }: PermissionsOptions,
  params: Fields,
  ids: RequestIds,
): PermissionRequest => {
  const update = fieldsOf(params.toolCall)
  const toolCallId = stringOf(update.toolCallId)
  tools.update(update, 'permission')
  const call = toolCallId === undefined ? undefined : tools.callOf(toolCallId)
  const options = listOf(params.options).flatMap(optionOf)
  return { ...ids, toolCallId, options, emit: inside(emit, call?.parent) }
}

const emitPermission = (request: PermissionRequest, params: Fields, tools: Tools) => {
  const { approvalId, toolCallId, options } = request
  const call = toolCallId === undefined ? undefined : tools.callOf(toolCallId)
  request.emit({
    type: 'approval_request',
    approvalId,
    kind: 'tool',
    ...(toolCallId !== undefined && { toolCallId }),
    ...(call && { toolName: call.name }),
    args: shownInput(call?.fields ?? fieldsOf(params.toolCall)),
    ...(options.length > 0 && { options }),
  })
}

/** A request for input, which it shows; undefined if that is not possible. */
const elicitationRequest = (
  { emit, tools, title }: PermissionsOptions,
  params: Fields,
  ids: RequestIds,
): PermissionRequest | undefined => {
  const elicitation = readElicitation(params, title)
  if (!elicitation) {
    const text = `${title} asked for input that cannot be shown, so it got no answer.`
    emit({ type: 'session_update', notice: { level: 'warning', text } })
    return undefined
  }
  const call = tools.callOf(stringOf(params.toolCallId) ?? '')
  const request = {
    ...{ ...ids, toolCallId: call?.id, options: [], elicitation },
    emit: inside(emit, call?.parent),
  }
  request.emit({
    type: 'approval_request',
    approvalId: ids.approvalId,
    kind: 'question',
    ...defined({ toolCallId: call?.id, toolName: call?.name }),
    ...elicitation.request,
  })
  return request
}

/** A choice of the agent. One of an unknown kind is left out: nobody can say what it does. */
const optionOf = (value: unknown): DecisionOption[] => {
  const { optionId, name, kind } = fieldsOf(value)
  const known = kinds.find((each) => each === kind)
  if (typeof optionId !== 'string' || known === undefined) return []
  return [{ id: optionId, label: stringOf(name) ?? optionId, kind: known }]
}

const kinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const
