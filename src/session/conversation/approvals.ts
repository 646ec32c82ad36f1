import type { ApprovalReply } from '../../agents/live.ts'
import type { AgentEvent, EventOf } from '../../events/types.ts'
import { isRemembered, remember } from './allowances.ts'

type Request = EventOf<'approval_request'>
type Outcome = EventOf<'approval_resolved'>['outcome']

/** What is decided without asking. */
export type ApprovalPolicy = 'ask' | 'allow' | 'deny'

export interface ApprovalDecision extends ApprovalReply {
  by?: string
  /** Allow the same for the rest of the session: every use of the tool, or just this call again. */
  remember?: 'tool' | 'command'
}

/** A request that waits, with its deadline. */
export type PendingApproval = Request & { deadline: number }

export interface ApprovalOptions {
  now(): number
  /** How long a request may wait before no answer means deny. */
  deadlineMs?: number
  policy?: ApprovalPolicy
  /** What may run unasked for the rest of the session; what is remembered is put in. */
  remembered?: Set<string>
  emit(event: AgentEvent): void
  /** Tells the agent. */
  reply(request: Request, answer: ApprovalReply): void
  /** Runs something later; gives its undo. */
  schedule?(run: () => void, ms: number): () => void
}

export const defaultDeadlineMs = 5 * 60 * 1000

interface Open {
  request: PendingApproval
  cancel(): void
}

/** Requests of one session: every one ends, once, with a name. The first answer wins. */
export const createApprovals = (options: ApprovalOptions) => {
  const { now, emit, reply, deadlineMs = defaultDeadlineMs, schedule = later } = options
  const { policy = 'ask', remembered = new Set<string>() } = options
  const open = new Map<string, Open>()

  const close = (approvalId: string): Open | undefined => {
    const found = open.get(approvalId)
    found?.cancel()
    open.delete(approvalId)
    return found
  }

  const resolve = (approvalId: string, outcome: Outcome, decision: ApprovalDecision): boolean => {
    const found = close(approvalId)
    if (!found) return false
    const { toolCallId } = found.request
    const { action, by, message, updatedInput, answers } = decision
    emit({
      type: 'approval_resolved',
      approvalId,
      action,
      outcome,
      ...(toolCallId !== undefined && { toolCallId }),
      ...(by !== undefined && { by }),
      ...(message !== undefined && { message }),
      ...(updatedInput !== undefined && { updatedInput }),
      ...(answers && { answers }),
    })
    if (outcome !== 'agent_gone') reply(found.request, decision)
    return true
  }

  /** A rule decides about tools only: questions and plans are for a person. */
  const ruleFor = (request: Request): ApprovalDecision | undefined => {
    if (request.kind !== 'tool') return undefined
    if (isRemembered(remembered, request)) return { action: 'allow', by: 'session' }
    if (policy === 'ask') return undefined
    if (policy === 'allow') return { action: 'allow', by: 'policy' }
    return { action: 'deny', by: 'policy', message: 'Denied by the policy of this session.' }
  }

  return {
    /** The agent asks. */
    request(event: Request): void {
      const wait = Math.min(deadlineMs, event.timeoutMs ?? deadlineMs)
      const request = { ...event, deadline: now() + wait }
      const { approvalId } = event
      const expire = () =>
        resolve(approvalId, 'expired', { action: 'deny', message: 'No answer in time.' })
      open.set(approvalId, { request, cancel: schedule(expire, wait) })
      emit(request)
      const rule = ruleFor(request)
      if (rule) resolve(approvalId, 'policy', rule)
    },
    /** Somebody decides. False when it is too late: it was answered, expired or withdrawn. */
    answer(approvalId: string, decision: ApprovalDecision): boolean {
      const request = open.get(approvalId)?.request
      if (!request) return false
      if (request.kind === 'tool') remember(remembered, request, decision)
      return resolve(approvalId, 'answered', decision)
    },
    /** The agent itself took the question back, or refused by its own rules. */
    resolvedByAgent(event: EventOf<'approval_resolved'>): void {
      const wasOpen = close(event.approvalId) !== undefined
      if (wasOpen || event.outcome === 'policy') emit(event)
    },
    /** The run was stopped, or the agent is gone. */
    cancelAll(outcome: 'cancelled' | 'agent_gone'): void {
      for (const approvalId of [...open.keys()])
        resolve(approvalId, outcome, { action: 'deny', message: 'The run was stopped.' })
    },
    pending: (): PendingApproval[] => [...open.values()].map(({ request }) => request),
  }
}
export type Approvals = ReturnType<typeof createApprovals>

const later = (run: () => void, ms: number) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
