import { randomUUID } from 'node:crypto'
import { answerProblem } from '../../events/answer-problem.ts'
import { offersDecision } from '../../events/chosen-option.ts'
import type { AgentEvent, EventOf } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import { lowerOf } from '../../shared/lower-of.ts'
import type { SessionRules } from '../rules/session-rules.ts'
import { approvalHash, maxDecidedDepth } from './approval-hash.ts'
import type { ApprovalDecision, PendingApproval } from './session.ts'

type ApprovalRequest = EventOf<'approval_request'>
type ApprovalOutcome = EventOf<'approval_resolved'>

export interface ApprovalOptions {
  /** The session’s id, which is part of what a person decides. */
  sessionId?: string
  now(): number
  /** How long a request may stay open; then it is denied. Without it, requests wait for an answer. */
  deadlineMs?: number
  /** Decides without a person where it can; answers add to it. Without it, a person decides. */
  rules?: Pick<SessionRules, 'decide' | 'covers' | 'remember'>
  /** Whether somebody stops the run: then every request is denied, also one that a rule would allow. */
  isAborting?(): boolean
  /** Whether a call can run with other arguments than the agent chose. Default: true. */
  canRewrite?: boolean
  emit(event: AgentEvent): void
  /** Sends the decision to the agent. The request is the agent’s own, with the agent’s own id. */
  reply(request: ApprovalRequest, answer: ApprovalDecision): void
  /** Runs a function later; returns a function that cancels it. */
  schedule?(run: () => void, ms: number): () => void
  /** Makes the id of an approval. Default: a random UUID. */
  newId?(): string
}

/**
 * The approval requests of one session. Each is resolved once; the first answer wins. Their ids are made
 * here: agents choose ids of their own, and two agents may choose the same.
 */
export interface Approvals {
  /** Opens a request of the agent. A rule may resolve it at once. */
  request(event: ApprovalRequest): void
  /** Resolves a request by a decision. False if it is no longer open, or the answer does not fit. */
  answer(approvalId: string, decision: ApprovalDecision): boolean
  /** Closes a request that the agent withdrew, or denied by its own rules. */
  resolvedByAgent(event: ApprovalOutcome): void
  /** Closes a request about a budget, which nobody needs to decide any more. With a reason, it expires. */
  budgetSettled(action: ApprovalDecision['action'], reason?: string): void
  /** Closes what is open about a tool call that has ended: nobody waits for it any more. */
  toolEnded(toolCallId: string): void
  /** Denies all open requests: the run was stopped, or the agent’s process has ended. */
  cancelAll(outcome: 'cancelled' | 'agent_gone'): void
  /** The open requests, oldest first. */
  pending(): PendingApproval[]
}

/** How a request ends that nobody has answered. Default of `outcome`: `cancelled`. */
interface WithoutAnswer extends Pick<ApprovalOutcome, 'action' | 'by' | 'message'> {
  outcome?: 'expired'
}

interface OpenRequest {
  request: PendingApproval
  /** The request as the agent made it. */
  original: ApprovalRequest
  cancelTimer(): void
}

export const createApprovals = (options: ApprovalOptions): Approvals => {
  const { now, emit, deadlineMs, schedule = setTimer, newId = randomUUID } = options
  const { sessionId = '', rules } = options
  const open = new Map<string, OpenRequest>()

  const close = (approvalId: string): OpenRequest | undefined => {
    const found = open.get(approvalId)
    found?.cancelTimer()
    open.delete(approvalId)
    return found
  }

  const resolve = (
    approvalId: string,
    outcome: ApprovalOutcome['outcome'],
    decision: ApprovalDecision,
  ): boolean => {
    const found = close(approvalId)
    if (!found) return false
    const details = { ...callOf(found), ...detailsOf(decision) }
    emit({ type: 'approval_resolved', approvalId, outcome, ...details })
    if (outcome !== 'agent_gone') options.reply(found.original, decision)
    return true
  }

  /** Closes requests that the agent no longer waits for, without a reply to it. */
  const withdraw = (
    isOver: (each: OpenRequest) => boolean,
    decision: WithoutAnswer = { action: 'deny', by: 'agent' },
  ): void => {
    for (const [approvalId, each] of open) {
      if (!isOver(each)) continue
      close(approvalId)
      const outcome = { outcome: 'cancelled', ...decision } as const
      emit({ type: 'approval_resolved', approvalId, ...callOf(each), ...outcome })
    }
  }

  return {
    request(original) {
      // An answer to an earlier request with the same id would answer this one.
      withdraw((each) => isSame(each.original, original))
      const approvalId = newId()
      const wait = lowerOf(deadlineMs, original.timeoutMs)
      const deadline = wait === undefined ? undefined : now() + wait
      const { isWhole, shown } = showable(sessionId, original)
      const request = { ...shown, approvalId, ...defined({ deadline }) }
      const expire = () => resolve(approvalId, 'expired', notInTime)
      const cancelTimer = wait === undefined ? () => {} : schedule(expire, wait)
      open.set(approvalId, { request, original, cancelTimer })
      emit(request)
      const decided = decidedAtOnce(request, isWhole, options)
      if (decided) resolve(approvalId, ...decided)
    },
    answer(approvalId, decision) {
      const request = open.get(approvalId)?.request
      if (!request || !offersDecision(request.options, decision)) return false
      if (!fits(request, decision) || !canRun(decision, options)) return false
      if (request.kind === 'tool') remember(request, decision, rules)
      return resolve(approvalId, 'answered', decision)
    },
    resolvedByAgent(event) {
      const approvalId = idOf(open, event.approvalId)
      if (approvalId !== undefined) close(approvalId)
      // A denial by the agent’s own rules has no request.
      else if (event.outcome !== 'policy') return
      emit({ ...event, approvalId: approvalId ?? newId() })
    },
    budgetSettled: (action, reason) =>
      withdraw(({ request }) => request.kind === 'budget', expiredFor(action, reason)),
    toolEnded(toolCallId) {
      withdraw(({ request }) => request.toolCallId === toolCallId && namesItsCall(request))
    },
    cancelAll(outcome) {
      for (const approvalId of [...open.keys()]) resolve(approvalId, outcome, stopped)
    },
    pending: () => [...open.values()].map(({ request }) => request),
  }
}

/** Whether the answers fit the questions of a request. */
const fits = (
  { questions = [] }: ApprovalRequest,
  { action, answers }: ApprovalDecision,
): boolean => action === 'deny' || answerProblem(questions, answers) === undefined

/** False if the agent would run the call with the arguments that the person replaced. */
const canRun = (
  { action, updatedInput }: ApprovalDecision,
  { canRewrite = true }: ApprovalOptions,
): boolean => action === 'deny' || updatedInput === undefined || canRewrite

/** The call of an extension’s dialog is a guess. Only dialogs with options name their call. */
const namesItsCall = ({ dialog, options }: ApprovalRequest): boolean => !dialog || !!options

/** Our id of a request that the agent names by its own. */
const idOf = (open: ReadonlyMap<string, OpenRequest>, approvalId: string): string | undefined =>
  [...open].find(([, { original }]) => isSame(original, { kind: 'tool', approvalId }))?.[0]

/** Whether two requests have the same id. The agent cannot withdraw a question about its budget. */
const isSame = (
  left: Pick<ApprovalRequest, 'kind' | 'approvalId'>,
  right: Pick<ApprovalRequest, 'kind' | 'approvalId'>,
): boolean =>
  left.approvalId === right.approvalId && (left.kind === 'budget') === (right.kind === 'budget')

/** What events show of a decision. */
const detailsOf = (decision: ApprovalDecision) => {
  const { action, by, message, updatedInput, optionId, answers, acceptEdits, raise } = decision
  const details = { by, message, updatedInput, optionId, answers, acceptEdits, raise }
  return { action, ...defined(details) }
}

/** The call that a request is about, and the one that it was made inside. */
const callOf = ({ request: { toolCallId, parentToolCallId } }: OpenRequest) =>
  defined({ toolCallId, parentToolCallId })

/** A request with its hash, without what is nested too deeply to be shown and stored. */
const showable = (sessionId: string, request: ApprovalRequest) => {
  const hash = approvalHash(sessionId, request)
  if (hash !== undefined) return { isWhole: true, shown: { ...request, hash } }
  const { type, kind, toolCallId, toolName, parentToolCallId } = request
  const call = defined({ toolCallId, toolName, parentToolCallId })
  return { isWhole: false, shown: { type, kind, ...call, hash: '' } }
}

const tooDeep: ApprovalDecision = {
  action: 'deny',
  by: 'policy',
  message: `Denied: the arguments are nested more than ${maxDecidedDepth} levels deep, so they cannot be shown to a person.`,
}

/** How a request about a budget ends without an answer: it expires for a reason, or is cancelled. */
const expiredFor = (action: ApprovalDecision['action'], message?: string): WithoutAnswer =>
  message === undefined ? { action } : { action, outcome: 'expired', message }

const stopped: ApprovalDecision = {
  action: 'deny',
  message: 'The run was stopped.',
  isUnanswered: true,
}
const notInTime: ApprovalDecision = {
  action: 'deny',
  message: 'Denied: nobody answered in time.',
  isUnanswered: true,
}

/** What nobody is asked about. `isWhole`: whether the request can be shown to a person. */
const decidedAtOnce = (
  request: ApprovalRequest,
  isWhole: boolean,
  { isAborting, rules }: ApprovalOptions,
): [ApprovalOutcome['outcome'], ApprovalDecision] | undefined => {
  if (isAborting?.()) return ['cancelled', stopped]
  const decision = isWhole ? automaticDecision(request, rules) : tooDeep
  return decision && ['policy', decision]
}

/** The decision of a rule. Rules cover tools only, never questions, and never choose for good. */
const automaticDecision = (
  request: ApprovalRequest,
  rules: ApprovalOptions['rules'],
): ApprovalDecision | undefined => {
  const decision = request.kind === 'tool' ? rules?.decide(request) : undefined
  return decision && offersDecision(request.options, decision) ? decision : undefined
}

/** Adds the rule of an answer, if it covers the call that the person allowed. */
const remember = (
  { toolName, args }: ApprovalRequest,
  decision: ApprovalDecision,
  rules: ApprovalOptions['rules'],
): void => {
  if (decision.action === 'deny' || !decision.remember) return
  const { scope, rule } = decision.remember
  // The person allowed the call as they rewrote it.
  const call = { toolName, args: decision.updatedInput ?? args }
  if (rules?.covers(rule, call)) rules.remember(scope, rule, decision.by)
}

/** Node fires a longer timer at once. */
const longestTimerMs = 2 ** 31 - 1

const setTimer = (run: () => void, ms: number): (() => void) => {
  const start = (rest: number): NodeJS.Timeout =>
    rest > longestTimerMs
      ? setTimeout(() => {
          timer = start(rest - longestTimerMs)
        }, longestTimerMs)
      : setTimeout(run, rest)
  let timer = start(ms)
  return () => clearTimeout(timer)
}
