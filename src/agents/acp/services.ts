import type { Fields } from '../../shared/fields.ts'
import { type RpcError, type RpcId, type RpcMessage, type RpcPeer, rpcErrors } from '../json-rpc.ts'
import type { ApprovalReply } from '../live.ts'
import { isRefusal, type Workspace, type WorkspaceRefusal } from '../workspace.ts'
import { createFileRequests } from './file-requests.ts'
import type { AcpReader } from './reader.ts'
import { createTerminalRequests } from './terminal-requests.ts'
import type { AcpTerminals } from './terminals.ts'

/** Files and terminals of the project, for the agent. A person decides about each write and command. */
export interface Services {
  /** Answers a request of the agent; false if it is about something else. */
  request(message: RpcRequest): boolean
  /** A person has decided; false if the approval is about something else. */
  answer(approvalId: string, reply: ApprovalReply): boolean
  /** The agent withdraws a request. */
  cancel(rpcId: unknown): void
  /** The run is being stopped: nothing more is written or run for it. */
  abort(): void
}

type RpcRequest = Extract<RpcMessage, { kind: 'request' }>

export interface ServicesOptions {
  workspace: Workspace
  peer: RpcPeer
  reader: AcpReader
  terminals: AcpTerminals
  scope: string
  cwd: string
  sessionId(): string | undefined
  /** Whether a person chose that the agent edits files without an approval. */
  mayEdit(): boolean
  publish(): void
}

/** A request for which somebody decides. */
export interface DecisionRequest {
  rpcId: RpcId
  toolCallId: string
  toolName: string
  args: object
}

export interface ServiceDeps extends ServicesOptions {
  /** Lets a person decide. Returns the reason if it is denied. */
  decide(request: DecisionRequest): Promise<WorkspaceRefusal | undefined>
}

/** Answers one method. The answer is the result, or why there is none. */
export type ServiceRequest = (params: Fields, rpcId: RpcId) => Promise<object>

/** What a request without usable parameters gets. */
export const badParams = (refusal: string): WorkspaceRefusal => ({ refusal, kind: 'invalid' })

/** More requests at once are refused. */
const mostRequests = 100

export const createServices = (options: ServicesOptions): Services => {
  const { workspace, peer, publish, sessionId } = options
  const decisions = createDecisions(options)
  const deps: ServiceDeps = { ...options, decide: decisions.decide }
  const methods = new Map<string, ServiceRequest>([
    ...createFileRequests(deps),
    ...createTerminalRequests(deps),
  ])
  let open = 0

  const run = async (method: ServiceRequest, { id, params }: RpcRequest): Promise<object> => {
    if (params.sessionId !== sessionId() || params.sessionId === undefined)
      return badParams('There is no such session.')
    if (open >= mostRequests) return badParams('Too many requests at once.')
    open += 1
    try {
      // An agent that does not read its answers gets no more of them.
      await workspace.whenWritten()
      return await method(params, id)
    } finally {
      open -= 1
    }
  }

  const answer = async (method: ServiceRequest, request: RpcRequest) => {
    const result = await run(method, request).catch(unexpected)
    if (isRefusal(result)) peer.refuse(request.id, errorOf(result))
    else peer.respond(request.id, result)
    publish()
  }

  return {
    request(message) {
      const method = methods.get(message.method)
      if (method) void answer(method, message)
      return method !== undefined
    },
    answer: decisions.answer,
    cancel: decisions.cancel,
    abort() {
      decisions.denyAll('The run was stopped.')
      options.terminals.killNew()
    },
  }
}

const unexpected = (cause: unknown): WorkspaceRefusal => ({
  refusal: cause instanceof Error ? cause.message : String(cause),
  kind: 'failed',
})

/** What the protocol calls a missing file, or a terminal that does not exist. */
const notFound = -32_002

/** Qwen Code reads what lies outside by itself, if the error says why. */
const errorKinds = { outside: 'path_outside_workspace', link_outside: 'symlink_escape' } as const

const errorOf = ({ refusal: message, kind }: WorkspaceRefusal): RpcError => {
  if (kind === 'missing') return { code: notFound, message }
  if (kind === 'invalid') return { code: rpcErrors.invalidParams, message }
  if (kind === 'failed') return { code: rpcErrors.internal, message }
  return { code: rpcErrors.invalidParams, message, data: { errorKind: errorKinds[kind] } }
}

interface Decision {
  rpcId: RpcId
  decided(refusal: WorkspaceRefusal | undefined): void
}

/** The requests that wait for a decision. */
const createDecisions = ({ reader, scope, publish }: ServicesOptions) => {
  const waiting = new Map<string, Decision>()
  let count = 0

  const settle = (approvalId: string, refusal?: WorkspaceRefusal): boolean => {
    const found = waiting.get(approvalId)
    waiting.delete(approvalId)
    found?.decided(refusal)
    return found !== undefined
  }

  return {
    decide({ rpcId, toolCallId, toolName, args }: DecisionRequest) {
      count += 1
      const approvalId = `${scope}client-${count}`
      const { promise, resolve } = Promise.withResolvers<WorkspaceRefusal | undefined>()
      waiting.set(approvalId, { rpcId, decided: resolve })
      reader.emit({
        type: 'approval_request',
        approvalId,
        kind: 'tool',
        toolCallId,
        toolName,
        args,
      })
      publish()
      return promise
    },
    answer(approvalId: string, { action, updatedInput, message }: ApprovalReply): boolean {
      // As for the agent’s own calls: the protocol cannot change arguments.
      if (action === 'allow' && updatedInput === undefined) return settle(approvalId)
      return settle(approvalId, denied(message))
    },
    cancel(rpcId: unknown) {
      for (const [approvalId, decision] of waiting) {
        if (decision.rpcId !== rpcId) continue
        const outcome = { action: 'deny', by: 'agent', outcome: 'cancelled' } as const
        reader.emit({ type: 'approval_resolved', approvalId, ...outcome })
        settle(approvalId, denied('The agent withdrew the request.'))
      }
    },
    denyAll(message: string) {
      for (const approvalId of [...waiting.keys()]) settle(approvalId, denied(message))
    },
  }
}

const denied = (message = 'Denied.'): WorkspaceRefusal => ({ refusal: message, kind: 'failed' })
