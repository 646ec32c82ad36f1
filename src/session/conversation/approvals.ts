import type { ApprovalReply } from '../../agents/live.ts'
import type { AgentEvent, EventOf } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { ApprovalDecision, ApprovalPolicy, PendingApproval } from './session.ts'

type ApprovalRequest = EventOf<'approval_request'>
type ApprovalOutcome = EventOf<'approval_resolved'>

export interface ApprovalOptions {
  now(): number
  /** How long a request may stay open; then it is denied. */
  deadlineMs?: number
  policy?: ApprovalPolicy
  /** The calls that are allowed for the rest of the session; answers add to it. */
  allowances?: Set<string>
  emit(event: AgentEvent): void
  /** Sends the decision to the agent. */
  reply(request: ApprovalRequest, answer: ApprovalReply): void
  /** Runs a function later; returns a function that cancels it. */
  schedule?(run: () => void, ms: number): () => void
}

export const defaultDeadlineMs = 5 * 60 * 1000

/** The approval requests of one session. Each is resolved once; the first answer wins. */
export interface Approvals {
  /** Opens a request of the agent. A policy or an allowance may resolve it at once. */
  request(event: ApprovalRequest): void
  /** Resolves a request by a decision. False if it is no longer open. */
  answer(approvalId: string, decision: ApprovalDecision): boolean
  /** Closes a request that the agent withdrew, or denied by its own rules. */
  resolvedByAgent(event: ApprovalOutcome): void
  /** Denies all open requests: the run was stopped, or the agent’s process has ended. */
  cancelAll(outcome: 'cancelled' | 'agent_gone'): void
  /** The open requests, oldest first. */
  pending(): PendingApproval[]
}

interface OpenRequest {
  request: PendingApproval
  cancelTimer(): void
}

export const createApprovals = (options: ApprovalOptions): Approvals => {
  const { now, emit, deadlineMs = defaultDeadlineMs, schedule = setTimer } = options
  const { policy = 'ask', allowances = new Set<string>() } = options
  const open = new Map<string, OpenRequest>()

  const close = (approvalId: string): PendingApproval | undefined => {
    const found = open.get(approvalId)
    found?.cancelTimer()
    open.delete(approvalId)
    return found?.request
  }

  const resolve = (
    approvalId: string,
    outcome: ApprovalOutcome['outcome'],
    decision: ApprovalDecision,
  ): boolean => {
    const request = close(approvalId)
    if (!request) return false
    const { toolCallId } = request
    const { action, by, message, updatedInput, answers } = decision
    const details = defined({ toolCallId, by, message, updatedInput, answers })
    emit({ type: 'approval_resolved', approvalId, action, outcome, ...details })
    if (outcome !== 'agent_gone') options.reply(request, decision)
    return true
  }

  return {
    request(event) {
      const { approvalId } = event
      const wait = Math.min(deadlineMs, event.timeoutMs ?? deadlineMs)
      const request = { ...event, deadline: now() + wait }
      const expire = () => resolve(approvalId, 'expired', { action: 'deny', message: notInTime })
      open.set(approvalId, { request, cancelTimer: schedule(expire, wait) })
      emit(request)
      const decision = automaticDecision(request, policy, allowances)
      if (decision) resolve(approvalId, 'policy', decision)
    },
    answer(approvalId, decision) {
      const request = open.get(approvalId)?.request
      if (!request) return false
      if (request.kind === 'tool') addAllowance(allowances, request, decision)
      return resolve(approvalId, 'answered', decision)
    },
    resolvedByAgent(event) {
      const wasOpen = close(event.approvalId) !== undefined
      if (wasOpen || event.outcome === 'policy') emit(event)
    },
    cancelAll(outcome) {
      for (const approvalId of [...open.keys()])
        resolve(approvalId, outcome, { action: 'deny', message: 'The run was stopped.' })
    },
    pending: () => [...open.values()].map(({ request }) => request),
  }
}

const notInTime = 'Denied: nobody answered in time.'

/** The decision of a policy or an allowance, which cover tools only; otherwise undefined. */
const automaticDecision = (
  request: ApprovalRequest,
  policy: ApprovalPolicy,
  allowances: ReadonlySet<string>,
): ApprovalDecision | undefined => {
  if (request.kind !== 'tool') return undefined
  if (isAllowed(allowances, request)) return { action: 'allow', by: 'session' }
  if (policy === 'ask') return undefined
  if (policy === 'allow') return { action: 'allow', by: 'policy' }
  return { action: 'deny', by: 'policy', message: 'Denied by the policy of this session.' }
}

/** A tool call that needs approval. */
type GatedCall = Pick<ApprovalRequest, 'toolName' | 'args'>

/** What of a decision may hold for later calls. */
interface LastingDecision {
  action: 'allow' | 'deny'
  updatedInput?: unknown
  remember?: 'tool' | 'command' | undefined
}

/** Whether a call was allowed for the rest of the session. */
export const isAllowed = (allowances: ReadonlySet<string>, call: GatedCall): boolean =>
  allowances.has(toolKey(call)) || allowances.has(commandKey(call))

/** Stores what a decision allows for the rest of the session, if it does. */
export const addAllowance = (
  allowances: Set<string>,
  call: GatedCall,
  decision: LastingDecision,
): void => {
  if (decision.action === 'deny') return
  // The person allowed the call as they rewrote it.
  const args = decision.updatedInput ?? call.args
  if (decision.remember === 'tool') allowances.add(toolKey(call))
  if (decision.remember === 'command') allowances.add(commandKey({ ...call, args }))
}

const toolKey = ({ toolName = '' }: GatedCall): string => toolName

/** Without the description, which the model writes differently each time. */
const commandKey = ({ toolName = '', args }: GatedCall): string => {
  const isCommand = typeof args === 'object' && args !== null && 'command' in args
  return `${toolName} ${JSON.stringify(isCommand ? { ...args, description: undefined } : args)}`
}

const setTimer = (run: () => void, ms: number): (() => void) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
