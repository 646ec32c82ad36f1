import type { DecisionOption } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, isFields, listOf, stringOf } from '../../shared/fields.ts'
import { type Elicitation, readElicitation } from '../elicitation.ts'
import { type Emit, inside } from '../emit.ts'
import type { RpcId } from '../json-rpc.ts'
import { questionsIn } from '../tool-calls/questions.ts'
import type { AppSubagents } from './app-subagents.ts'
import type { Tools } from './tools.ts'
import { callOf } from './wire.ts'

/** A request of the app-server that waits for a person. */
export interface OpenRequest {
  readonly rpcId: RpcId
  readonly method: string
  readonly params: Fields
  readonly approvalId: string
  readonly toolCallId: string | undefined
  /** The decisions of Codex, by the id of the option that stands for each. */
  readonly decisions: ReadonlyMap<string, unknown>
  /** Input that an MCP server requests. */
  readonly elicitation?: Elicitation | undefined
}

/** The requests of the app-server that wait for a person. */
export interface AppApprovals {
  /** A request of the agent. False if a person cannot answer such a request. */
  request(rpcId: RpcId, method: string, params: Fields): boolean
  /** The request behind an approval; undefined if it is no longer open. It is closed by this. */
  take(approvalId: string): OpenRequest | undefined
  /** The agent waits for a request no longer. */
  resolved(rpcId: unknown): void
  /** The process is gone: ends the requests that are open. */
  close(): void
}

export interface AppApprovalsOptions {
  scope: string
  emit: Emit
  tools: Pick<Tools, 'find'>
  subagents: Pick<AppSubagents, 'find' | 'findCall'>
  cwd(): string | undefined
  /** Whether answers go through Sluice. In a recording, somebody else has answered. */
  isLive: boolean
}

export const createAppApprovals = (options: AppApprovalsOptions): AppApprovals => {
  const { scope, emit, isLive } = options
  const open = new Map<string, OpenRequest>()
  let count = 0

  return {
    request(rpcId, method, params) {
      const kind = kinds.get(method)
      const elicitation =
        method === elicitationMethod ? readElicitation(params, serverOf(params)) : undefined
      if (kind === undefined || (method === elicitationMethod && !elicitation)) return false
      count += 1
      const approvalId = `${scope}request-${count}`
      const toolCallId = stringOf(params.itemId)
      const { choices, decisions } = choicesOf(method, params)
      open.set(approvalId, {
        ...{ rpcId, method, params, approvalId, toolCallId, decisions, elicitation },
      })
      const subagent = options.subagents.find(stringOf(params.threadId))
      inside(
        emit,
        subagent?.toolCallId,
      )({
        type: 'approval_request',
        approvalId,
        kind,
        ...defined({ toolCallId }),
        ...(kind === 'tool' && callFields(options, method, params)),
        ...(kind === 'question' && (elicitation?.request ?? { questions: questionsIn(params) })),
        ...defined({ reasoning: stringOf(params.reason) }),
        ...(choices.length > 0 && { options: choices }),
      })
      return true
    },
    take(approvalId) {
      const request = open.get(approvalId)
      open.delete(approvalId)
      return request
    },
    resolved(rpcId) {
      for (const { approvalId, toolCallId, rpcId: own } of open.values()) {
        if (own !== rpcId) continue
        open.delete(approvalId)
        const outcome = { action: 'deny', by: 'agent', outcome: 'cancelled' } as const
        if (isLive)
          emit({ type: 'approval_resolved', approvalId, ...defined({ toolCallId }), ...outcome })
      }
    },
    close() {
      const outcome = { action: 'deny', outcome: 'agent_gone' } as const
      for (const { approvalId, toolCallId } of open.values())
        emit({ type: 'approval_resolved', approvalId, ...defined({ toolCallId }), ...outcome })
      open.clear()
    },
  }
}

/** The request of an MCP server for input. */
export const elicitationMethod = 'mcpServer/elicitation/request'

const kinds: ReadonlyMap<string, 'tool' | 'question'> = new Map([
  ['item/commandExecution/requestApproval', 'tool'],
  ['item/fileChange/requestApproval', 'tool'],
  ['item/permissions/requestApproval', 'tool'],
  ['item/tool/requestUserInput', 'question'],
  [elicitationMethod, 'question'],
] as const)

/** Who asks for input, for people. */
const serverOf = ({ serverName }: Fields): string =>
  `The MCP server “${stringOf(serverName) ?? 'without a name'}”`

/** The tool and the arguments that a person decides about. */
const callFields = (options: AppApprovalsOptions, method: string, params: Fields) => {
  const { tools, subagents, cwd } = options
  const itemId = stringOf(params.itemId) ?? ''
  const call = tools.find(itemId) ?? subagents.findCall(itemId)
  if (method.startsWith('item/permissions/'))
    return { toolName: 'request_permissions', args: defined({ permissions: params.permissions }) }
  // Such a request is about something else than the command itself: no rule for commands may match it.
  if (isFields(params.networkApprovalContext))
    return { toolName: 'network_access', args: params.networkApprovalContext }
  if (params.kind === 'writeStdin')
    return { toolName: 'write_stdin', args: defined({ command: stringOf(params.command) }) }
  if (method.startsWith('item/fileChange/'))
    return {
      toolName: 'file_change',
      args: { ...call?.input, ...defined({ grantRoot: stringOf(params.grantRoot) }) },
    }
  const { toolName, input } = callOf({ ...params, type: 'commandExecution' }, cwd())
  return { toolName, args: stringOf(params.command) === undefined && call ? call.input : input }
}

interface Choices {
  choices: DecisionOption[]
  decisions: Map<string, unknown>
}

/** The decisions that Codex accepts. Older releases do not list them, and accept these four. */
const choicesOf = (method: string, params: Fields): Choices => {
  const decisions = new Map<string, unknown>()
  if (kinds.get(method) === 'question') return { choices: [], decisions }
  if (method.startsWith('item/permissions/')) {
    decisions.set('turn', 'turn').set('session', 'session')
    return { choices: [...permissionChoices], decisions }
  }
  const offered = listOf(params.availableDecisions)
  // Declining is always accepted, also where Codex does not list it.
  const all = offered.length > 0 ? [...offered, 'decline'] : [...plainDecisions.keys()]
  const choices = all.flatMap((decision) => {
    const choice = choiceOf(decision)
    if (!choice || decisions.has(choice.id)) return []
    decisions.set(choice.id, decision)
    return [choice]
  })
  return { choices: choices.toSorted((left, right) => rank(left) - rank(right)), decisions }
}

const choiceOf = (decision: unknown): DecisionOption | undefined => {
  if (typeof decision === 'string') return plainDecisions.get(decision)
  const [[id, details] = ['']] = Object.entries(fieldsOf(decision))
  if (id === 'acceptWithExecpolicyAmendment') {
    const words = listOf(fieldsOf(details).execpolicy_amendment).filter(isText)
    const label = `Allow, and allow commands that begin with “${words.join(' ')}”`
    return { id, label, kind: 'allow_always', update: decision }
  }
  if (id !== 'applyNetworkPolicyAmendment') return undefined
  const { host, action } = fieldsOf(fieldsOf(details).network_policy_amendment)
  const isDenial = action === 'deny'
  return {
    id: `${id}-${String(action)}-${String(host)}`,
    label: `${isDenial ? 'Always deny' : 'Always allow'} connections to ${String(host)}`,
    kind: isDenial ? 'reject_always' : 'allow_always',
    update: decision,
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

const plainDecisions: ReadonlyMap<string, DecisionOption> = new Map<string, DecisionOption>([
  ['accept', { id: 'accept', label: 'Allow', kind: 'allow_once' }],
  [
    'acceptForSession',
    { id: 'acceptForSession', label: 'Allow for this session', kind: 'allow_always' },
  ],
  ['decline', { id: 'decline', label: 'Deny', kind: 'reject_once' }],
  ['cancel', { id: 'cancel', label: 'Deny and stop', kind: 'stop' }],
])

const permissionChoices: readonly DecisionOption[] = [
  { id: 'turn', label: 'Allow for this turn', kind: 'allow_once' },
  { id: 'session', label: 'Allow for this session', kind: 'allow_always' },
]

const order = ['allow_once', 'allow_always', 'reject_once', 'reject_always', 'stop']
const rank = ({ kind }: DecisionOption): number => order.indexOf(kind)
