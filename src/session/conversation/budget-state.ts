import { dayOf, msUntilNextDay } from '../../budget/day.ts'
import type { FinalAnswer } from '../../budget/final-answer.ts'
import { type LimitInForce, leftUntilNext, levelOf, type Spent } from '../../budget/limits.ts'
import type { SessionLimits } from '../../budget/session-limits.ts'
import type { WorkClock } from '../../budget/work-clock.ts'
import type { AgentEvent, EventOf, Totals } from '../../events/types.ts'
import type { ApprovalDecision } from './session.ts'

export interface BudgetGuardOptions {
  limits: SessionLimits
  /** The usage of the session so far. */
  totals: Totals
  /** How long the agent has worked so far, in ms. */
  workedMs: number
  now(): number
  emit(event: AgentEvent): void
  /** Whether the agent works: in a run that it has started, or on tasks in the background. */
  isWorking(): boolean
  /** Whether somebody stops the run already. */
  isAborting(): boolean
  /** Whether messages wait that the agent will work on. */
  hasQueued(): boolean
  /** Opens an approval request. */
  request(event: EventOf<'approval_request'>): void
  /** Closes the open request without an answer. With a reason, it expires. */
  withdraw(action: 'allow' | 'deny', reason?: string): void
  freeze(): void
  unfreeze(): void
  /** Stops what the agent does. */
  stop(): void
  /** Reports what was decided, for the audit. */
  onDecision(
    action: 'budget_raised' | 'budget_renewed' | 'budget_stopped',
    detail: string,
    decision: ApprovalDecision,
  ): void
}

/** What the parts of a guard share. */
export interface Guard extends BudgetGuardOptions {
  readonly clock: WorkClock
  readonly final: FinalAnswer
  /** The level of each limit that people know, by its key. */
  readonly levels: Map<string, ReturnType<typeof levelOf>>
  usage: Omit<Spent, 'durationMs'>
  /** The limit that a person is asked about. */
  asked: LimitInForce | undefined
  /** The day of that request. */
  askedOn: string
  /** What waits for the answer, if it was asked before a run starts. */
  admitted: PromiseWithResolvers<boolean> | undefined
  isSettling: boolean
  isStopping: boolean
  /** The session has left memory: nothing is compared any more. */
  isClosed: boolean
  hasNamedUnpriced: boolean
  timer: NodeJS.Timeout | undefined
  /** Compares what was used with the limits. */
  check(): void
}

export const spent = ({ usage, clock }: Guard): Spent => ({ ...usage, durationMs: clock.ms() })
export const inForce = (guard: Guard): LimitInForce[] => guard.limits.inForce(spent(guard))
export const exceeded = (guard: Guard, all = inForce(guard)): LimitInForce | undefined =>
  all.find((each) => levelOf(each) === 'exceeded')

/** How long at most until the time of sessions that share a limit is added up again. */
const sharedCheckMs = 5000
const longestWaitMs = 60_000

/** Whether a person is asked about the limit of a day that is over. */
export const isDayOver = ({ asked, askedOn, now }: Guard): boolean =>
  asked?.scope === 'day' && askedOn !== dayOf(now())

/** Looks at the limits of time again when the next one is due, and at that of a day when it is over. */
export const setTimer = (guard: Guard, all = inForce(guard)): void => {
  clearTimeout(guard.timer)
  guard.timer = undefined
  const timed = guard.clock.isRunning() ? all.filter((each) => each.measure === 'durationMs') : []
  const waits = timed.flatMap((each) => {
    const left = leftUntilNext(each)
    return left > 0 ? Math.min(left, each.scope === 'session' ? longestWaitMs : sharedCheckMs) : []
  })
  // Not longer: a machine that sleeps stops its timers, too.
  if (guard.asked?.scope === 'day') waits.push(Math.min(msUntilNextDay(guard.now()), longestWaitMs))
  if (waits.length === 0) return
  guard.timer = setTimeout(() => void look(guard), Math.max(1, Math.ceil(Math.min(...waits))))
  guard.timer.unref()
}

const look = async (guard: Guard): Promise<void> => {
  guard.limits.report(spent(guard))
  if (isDayOver(guard)) await guard.limits.settled()
  guard.check()
}
