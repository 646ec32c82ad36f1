import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { AgentHooks, CallOutcome, HookCall, HookMessage } from '../agents/hooks.ts'
import type { AgentEvent, EventOf } from '../events/types.ts'
import { type ApprovalOptions, createApprovals } from '../session/conversation/approvals.ts'
import type { ApprovalDecision, PendingApproval } from '../session/conversation/session.ts'
import { defined } from '../shared/fields.ts'
import { type CallBook, callKeyOf } from './call-book.ts'
import type { HookSender } from './read-hook.ts'
import { watchResult } from './result-watch.ts'

type HookRequest = Extract<HookMessage, { type: 'request' }>

/** A hook that waits for the answer to a question. */
export interface Asker {
  /** Ends the wait. Without an output, the agent goes on asking in its terminal. */
  settle(output: string | undefined): void
  isGone(): boolean
}

/**
 * The questions that the hooks of one session in a terminal ask. The terminal asks the same ones, and
 * the first answer counts: a question that is answered there is withdrawn here.
 */
export interface TerminalQuestions {
  ask(message: HookRequest, sender: HookSender, asker: Asker): Promise<void>
  /**
   * A hook is gone, so its question is withdrawn, unless another hook waits for it. Why it is gone shows
   * shortly after: a refusal in the terminal, or the end of the agent.
   */
  leave(asker: Asker, isAgentAlive: () => boolean): void
  /** Notes what another hook of the session reports: it may end a question. */
  report(message: HookMessage): void
  /** Answers an open question, and returns it. Undefined if it is no longer open, or does not fit. */
  answer(approvalId: string, decision: ApprovalDecision): PendingApproval | undefined
  /** Withdraws all questions. */
  withdrawAll(message: string): void
}

export interface TerminalQuestionsOptions
  extends Pick<ApprovalOptions, 'now' | 'rules' | 'canRewrite'> {
  sessionId: string
  hooks: AgentHooks
  calls: CallBook
  emit(event: AgentEvent): void
}

interface OpenQuestion {
  id: string
  key: string
  call: HookCall
  subagentId: string | undefined
  promptId: string | undefined
  request: EventOf<'approval_request'>
  askers: Set<Asker>
  /** The settings files whose hooks ask. */
  scopes: Set<string>
  callId: string | undefined
  isShown: boolean
  stopWatching(): void
}

type Withdrawal = Pick<EventOf<'approval_resolved'>, 'action' | 'outcome' | 'by' | 'message'>

const maxQuestions = 20
/** How long after the end of a hook its reason may take to show, and how often it is looked for. */
const reasonMs = 3000
const lookMs = 250

export const createTerminalQuestions = (options: TerminalQuestionsOptions): TerminalQuestions => {
  const { hooks, calls } = options
  const { approvals, open, withdrawWhere, withdraw, show } = createOpenQuestions(options)

  const watch = ({ transcriptPath: path }: HookRequest, question: OpenQuestion): void => {
    const { callId } = question
    const { resultOf } = hooks
    if (path === undefined || callId === undefined || !resultOf || !open.has(question.id)) return
    const onResult = (outcome: CallOutcome) => withdraw(question, inTerminal(outcome))
    question.stopWatching = watchResult({ path, callId, resultOf, onResult })
  }

  return {
    async ask(message, { scope, isAttended }, asker) {
      const key = callKeyOf(message.call, message.subagentId)
      const twin = [...open.values()].find((each) => each.key === key && !each.scopes.has(scope))
      if (twin) {
        twin.askers.add(asker)
        twin.scopes.add(scope)
        return
      }
      if (key === undefined || open.size >= maxQuestions) return asker.settle(undefined)
      const question = createQuestion(message, key, asker, scope)
      open.set(question.id, question)
      question.callId ??= await calls.find(key)
      if (!open.has(question.id)) return
      if (!isAwaited(question)) return withdraw(question, agentWentOn)
      show(question, waitOf(hooks, message, isAttended))
      watch(message, question)
    },
    leave(asker, isAgentAlive) {
      for (const question of open.values()) {
        if (!question.askers.has(asker) || isAwaited(question)) continue
        void untilGone(isAgentAlive).then((isGone) =>
          withdraw(question, isGone ? agentGone : hookEnded),
        )
      }
    },
    report(message) {
      if (message.type === 'call_ended')
        withdrawWhere((each) => isOfCall(each, message), inTerminal(message.outcome ?? 'ran'))
      else if (message.type === 'ended') withdrawWhere(() => true, agentGone)
      else if (message.type === 'stopped')
        withdrawWhere((each) => isOfRun(each, message), agentWentOn)
      else if (message.type === 'prompted')
        withdrawWhere((each) => isOfEarlierPrompt(each, message), agentWentOn)
    },
    answer(approvalId, decision) {
      const question = open.get(approvalId)
      if (!question || !isAwaited(question)) return undefined
      const pending = approvals.pending().find((each) => each.approvalId === approvalId)
      return approvals.answer(approvalId, decision) ? pending : undefined
    },
    withdrawAll: (message) =>
      withdrawWhere(() => true, { action: 'deny', outcome: 'cancelled', by: 'sluice', message }),
  }
}

/** The open questions, as approvals of Sluice. */
const createOpenQuestions = (options: TerminalQuestionsOptions) => {
  const { sessionId, hooks, emit, now } = options
  const open = new Map<string, OpenQuestion>()
  let opening = ''

  const close = (question: OpenQuestion, output: string | undefined): void => {
    if (!open.delete(question.id)) return
    question.stopWatching()
    for (const asker of question.askers) asker.settle(output)
  }
  const withdraw = (question: OpenQuestion, withdrawal: Withdrawal): void => {
    const { id: approvalId, callId: toolCallId, isShown } = question
    const resolved = { type: 'approval_resolved', approvalId, ...defined({ toolCallId }) } as const
    if (isShown) approvals.resolvedByAgent({ ...resolved, ...withdrawal })
    close(question, undefined)
  }
  const withdrawWhere = (
    isOver: (question: OpenQuestion) => boolean,
    withdrawal: Withdrawal,
  ): void => {
    for (const question of open.values()) if (isOver(question)) withdraw(question, withdrawal)
  }

  const approvals = createApprovals({
    ...{ sessionId, now, emit },
    newId: () => opening,
    ...defined({ rules: options.rules, canRewrite: options.canRewrite }),
    reply({ approvalId }, decision) {
      const question = open.get(approvalId)
      if (question) close(question, outputFor(hooks, question, decision))
    },
    schedule(_, ms) {
      // Nobody has denied it: the terminal still asks, or asks now.
      const id = opening
      const timer = setTimeout(() => withdrawWhere((each) => each.id === id, tooLate), ms)
      return () => clearTimeout(timer)
    },
  })

  const show = (question: OpenQuestion, waitSeconds: number | undefined): void => {
    const { id, callId: toolCallId, request } = question
    const timeoutMs = waitSeconds === undefined ? undefined : waitSeconds * 1000
    opening = id
    question.isShown = true
    approvals.request({ ...request, approvalId: id, ...defined({ toolCallId, timeoutMs }) })
  }
  return { approvals, open, withdraw, withdrawWhere, show }
}

/** Whether the agent ends soon. One that is asked to end takes a moment. */
const untilGone = async (isAlive: () => boolean): Promise<boolean> => {
  for (let waited = 0; waited < reasonMs && isAlive(); waited += lookMs)
    await delay(lookMs, undefined, { ref: false })
  return !isAlive()
}

/** Whether a hook still waits for the answer. */
const isAwaited = ({ askers }: OpenQuestion): boolean =>
  [...askers].some((asker) => !asker.isGone())

/** Whether a call that has ended is the one of a question. */
const isOfCall = (
  { callId, key }: OpenQuestion,
  { call, subagentId }: Extract<HookMessage, { type: 'call_ended' }>,
): boolean => (callId === undefined ? key === callKeyOf(call, subagentId) : callId === call.callId)

/** Whether a question belongs to what the agent has stopped working on. */
const isOfRun = (question: OpenQuestion, { subagentId, promptId }: HookMessage): boolean =>
  question.subagentId === subagentId &&
  (promptId === undefined || question.promptId === undefined || question.promptId === promptId)

/** Whether a question is older than a prompt. Subagents go on working while a person sends another one. */
const isOfEarlierPrompt = (
  question: OpenQuestion,
  { subagentId, promptId }: HookMessage,
): boolean =>
  subagentId === undefined &&
  question.subagentId === undefined &&
  promptId !== undefined &&
  promptId !== question.promptId

/** How long a question waits here, in seconds; undefined: as long as the hook. */
const waitOf = (
  { waits }: AgentHooks,
  { subagentId }: HookMessage,
  isAttended: boolean,
): number | undefined => {
  if (!isAttended) return waits.print
  return (subagentId === undefined ? undefined : waits.subagent) ?? waits.terminal
}

const createQuestion = (
  { call, request, subagentId, promptId }: HookRequest,
  key: string,
  asker: Asker,
  scope: string,
): OpenQuestion => ({
  ...{ id: randomUUID(), key, call, request, subagentId, promptId },
  askers: new Set([asker]),
  scopes: new Set([scope]),
  callId: call.callId,
  isShown: false,
  stopWatching() {},
})

/** What the hooks print. Nothing if no person and no rule has decided. */
const outputFor = (
  hooks: AgentHooks,
  { request }: OpenQuestion,
  decision: ApprovalDecision,
): string | undefined =>
  decision.isUnanswered || !hooks.answer
    ? undefined
    : JSON.stringify(hooks.answer(request, decision))

/** A person answered in the terminal. */
const inTerminal = (outcome: CallOutcome): Withdrawal => ({
  action: outcome === 'ran' ? 'allow' : 'deny',
  outcome: 'answered',
  by: 'terminal',
})

const agentWentOn: Withdrawal = { action: 'deny', outcome: 'cancelled', by: 'agent' }
const agentGone: Withdrawal = { action: 'deny', outcome: 'agent_gone', by: 'agent' }
const hookEnded: Withdrawal = {
  ...agentWentOn,
  message: 'The agent no longer waits for an answer here.',
}
const tooLate: Withdrawal = {
  action: 'deny',
  outcome: 'expired',
  by: 'agent',
  message: 'Nobody answered here in time, so the agent goes on without Sluice.',
}
