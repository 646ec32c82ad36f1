import { randomUUID } from 'node:crypto'
import type { Command } from '../../agents/live.ts'
import { unlimited } from '../../budget/session-limits.ts'
import type { AgentEvent, EventOf, ModeChoice, StartOptions } from '../../events/types.ts'
import { createLedger, type Ledger } from '../../ledger/ledger.ts'
import { defined } from '../../shared/fields.ts'
import { createAnnotator } from '../recording/annotate.ts'
import { type Approvals, createApprovals } from './approvals.ts'
import { type Authors, actorNamed, createAuthors } from './authors.ts'
import { type BudgetGuard, createBudgetGuard } from './budget-guard.ts'
import { createDeliveries, type Deliveries } from './deliveries.ts'
import type { Driver } from './driver.ts'
import { createEditDiffs, type EditDiffs } from './edit-diffs.ts'
import { originNotice } from './notices.ts'
import { createQueue, type Queue } from './queue.ts'
import { createReceipts, type Receipts } from './receipts.ts'
import { createResumption, type Resumption } from './resumption.ts'
import type { ApprovalDecision } from './session.ts'
import type { SessionDeps, SessionStart } from './session-deps.ts'

/** What the parts of one session share: intake, lifecycle and commands read and change it. */
export interface ConversationState {
  readonly deps: SessionDeps
  readonly ledger: Ledger
  readonly activity: RunActivity
  readonly queue: Queue
  readonly approvals: Approvals
  readonly editDiffs: EditDiffs
  readonly authors: Authors
  readonly receipts: Receipts
  readonly deliveries: Deliveries
  readonly resumption: Resumption
  readonly budget: BudgetGuard
  /** The agent’s process, while there is one. */
  driver: Driver | undefined
  model: string | undefined
  /** How the agent starts, with what was changed while it ran. */
  start: StartOptions
  /** The modes and levels that the agent has reported. */
  modes: readonly ModeChoice[] | undefined
  thinkingLevels: readonly string[] | undefined
  /** Ids of the shell commands of people that have not ended. */
  readonly openShells: Set<string>
  /** The last prompt that this process accepted. */
  lastPrompt: Command | undefined
  /** A prompt is being written: its sender handles the end of the process. */
  isSendingPrompt: boolean
  /** The start of a message of a user, until its end shows what it is. */
  userMessage: EventOf<'message_start'> | undefined
  /** Whether the agent has printed nothing since the last prompt, and what was done about it. */
  silence: 'none' | 'silent' | 'named' | 'given_up'
  /** Somebody aborts the run: it ends as aborted, and what it still requests is refused. */
  isAborting: boolean
  /** Ids of the tasks that run in the background. */
  backgroundTasks: readonly string[]
  /** The process is being ended: queued messages are not sent to it. */
  isStopping: boolean
  /** The session leaves memory: no process is started any more. */
  isUnloading: boolean
  /** Records an event, and what follows from it. */
  emit(event: AgentEvent): void
  /** Whether the stream has its `session_start`. */
  hasStarted(): boolean
  /** Called when a run has ended and the next queued message may be sent. */
  onRunEnd(): void
  /** A queued message was not sent, because the log could not store what becomes of it. */
  isSendingPutOff: boolean
  /** Called when the agent’s process has ended. */
  onProcessEnd(): void
  /** Called when a limit was reached and what the agent does must stop. */
  onBudgetStop(): void
}

/** The state of a session whose agent is not running. */
export const createConversationState = (
  deps: SessionDeps,
  start: SessionStart,
): ConversationState => {
  const ledger = start.ledger ?? createLedger()
  const annotate = createAnnotator(ledger)
  const hasOwnIds = deps.agent.live?.queue === 'agent'
  let hasStarted = start.head > 0

  const emit = (event: AgentEvent): void => {
    // A prompt is shown before the agent has printed anything.
    if (!hasStarted && event.type !== 'session_start') emit(sessionStartOf(state))
    const isFirst = !hasStarted
    hasStarted = true
    const events = annotate([event])
    deps.recorder.push(events)
    for (const each of events) state.budget.observe(each)
    const origin = isFirst ? originNotice(start, deps.agent) : undefined
    if (origin) emit(origin)
  }

  const authorOf = (id: string) => state.receipts.authorOf(id)
  const state: ConversationState = {
    deps,
    ledger,
    activity: createRunActivity(),
    queue: createQueue({ emit, stored: start.queued, authorOf }),
    approvals: createApprovals({
      now: deps.now,
      emit,
      // An agent may request one thing after another. One abort refuses them all.
      isAborting: () => state.isAborting,
      canRewrite: deps.agent.capabilities.rewrite,
      reply: (request, answer) => sendAnswer(state, request, answer),
      ...defined({ sessionId: deps.id, rules: deps.rules, deadlineMs: deps.approvalMs }),
    }),
    editDiffs: createEditDiffs(deps.agent, deps.cwd),
    authors: createAuthors(),
    receipts: createReceipts({
      sessionId: deps.id,
      store: deps.commands,
      now: deps.now,
      lastSeq: deps.recorder.lastSeq,
      hasOwnIds,
      onError: deps.onError,
      ...defined({ queued: start.queued }),
    }),
    deliveries: createDeliveries(hasOwnIds),
    resumption: createResumption(deps.agent.live, start),
    budget: createGuard(() => state, { deps, ledger, emit }),
    driver: undefined,
    model: start.model,
    start: start.start ?? {},
    modes: undefined,
    thinkingLevels: undefined,
    openShells: new Set(),
    lastPrompt: undefined,
    isSendingPrompt: false,
    userMessage: undefined,
    silence: 'none',
    isAborting: false,
    backgroundTasks: [],
    isStopping: false,
    isUnloading: false,
    emit,
    hasStarted: () => hasStarted,
    onRunEnd() {},
    isSendingPutOff: false,
    onProcessEnd() {},
    onBudgetStop() {},
  }
  return state
}

/** What is known of a session before its agent has printed anything. */
const sessionStartOf = ({ deps, model, start }: ConversationState): EventOf<'session_start'> => ({
  type: 'session_start',
  agent: deps.agent.name,
  cwd: deps.cwd,
  ...defined({ model, permissionMode: start.mode, thinkingLevel: start.thinkingLevel }),
})

/** Sends a decision to what requested it: the agent, or the guard of the limits. */
const sendAnswer = (
  { driver, editDiffs, budget }: ConversationState,
  request: EventOf<'approval_request'>,
  answer: ApprovalDecision,
): void => {
  const send = () => void driver?.send({ type: 'answer', id: randomUUID(), request, answer })
  const reading = request.kind === 'budget' ? undefined : editDiffs.allowing(request, answer)
  if (request.kind === 'budget') budget.answered(answer)
  else if (reading === undefined) send()
  else void reading.then(send)
}

/** The guard of a session’s limits. `state` is complete only after it was made. */
const createGuard = (
  state: () => ConversationState,
  { deps, ledger, emit }: Pick<ConversationState, 'deps' | 'ledger' | 'emit'>,
): BudgetGuard =>
  createBudgetGuard({
    limits: deps.limits ?? unlimited,
    totals: ledger.totals(),
    workedMs: deps.workedMs ?? 0,
    now: deps.now,
    emit,
    isWorking: () => state().activity.hasStarted() || state().backgroundTasks.length > 0,
    isAborting: () => state().isAborting || state().isStopping,
    hasQueued: () => state().queue.totalSize() > 0,
    request: (event) => state().approvals.request(event),
    withdraw: (action, reason) => state().approvals.budgetSettled(action, reason),
    freeze: () => state().driver?.freezer.freeze(),
    unfreeze: () => state().driver?.freezer.unfreeze(),
    stop: () => state().onBudgetStop(),
    onDecision: (action, detail, { actor, by }) =>
      deps.onAction?.({ action, detail, by: actor ?? actorNamed(by) }),
  })

/** Whether a run is in progress, and when it starts and ends. */
export interface RunActivity {
  /** Whether a run is open. The agent may not have started to work on it. */
  isRunning(): boolean
  /** Whether the agent has started to work on the open run. */
  hasStarted(): boolean
  /** Whether a run is open, or a prompt is on its way. */
  isBusy(): boolean
  /** A prompt is on its way. Sending the same prompt again changes nothing. */
  promptSent(): void
  /** The run is open. */
  runOpened(): void
  /** The agent works on the run. */
  runStarted(): void
  /** The run has ended, or the prompt opened none. */
  runEnded(): void
  /** Resolves when the agent has started to work on the last prompt, or its run has ended. */
  whenStarted(): Promise<void>
  /** Resolves at the next end of a run, or of a prompt that opened none. */
  whenEnded(): Promise<void>
}

const createRunActivity = (): RunActivity => {
  let isRunning = false
  let isPrompting = false
  let started = Promise.withResolvers<void>()
  let ended = Promise.withResolvers<void>()

  return {
    isRunning: () => isRunning,
    hasStarted: () => isRunning && !isPrompting,
    isBusy: () => isRunning || isPrompting,
    promptSent() {
      if (!isPrompting) started = Promise.withResolvers()
      isPrompting = true
    },
    runOpened() {
      isRunning = true
    },
    runStarted() {
      isPrompting = false
      started.resolve()
    },
    runEnded() {
      isRunning = false
      isPrompting = false
      started.resolve()
      ended.resolve()
      ended = Promise.withResolvers()
    },
    whenStarted: () => started.promise,
    whenEnded: () => ended.promise,
  }
}
