import { describeUse } from '../../budget/amounts.ts'
import { createFinalAnswer } from '../../budget/final-answer.ts'
import { type LimitInForce, levelOf, limitKey, useOf } from '../../budget/limits.ts'
import { createWorkClock } from '../../budget/work-clock.ts'
import type { AgentEvent, Totals } from '../../events/types.ts'
import { allTokens } from '../../events/usage-sums.ts'
import { Fault } from '../../shared/fault.ts'
import { act, admit, answered, close, goOn, release, request } from './budget-decision.ts'
import {
  type BudgetGuardOptions,
  exceeded,
  type Guard,
  inForce,
  isDayOver,
  setTimer,
  spent,
} from './budget-state.ts'
import { unpricedNotice } from './notices.ts'
import type { ApprovalDecision } from './session.ts'

/**
 * Holds a session to its limits. At each change of the usage it compares what was used with them. When
 * one is reached, it freezes the agent, so that no model is called, and asks a person or stops the run.
 */
export interface BudgetGuard {
  /** The session has emitted an event. */
  observe(event: AgentEvent): void
  /** Whether a run may start: `free`, after a person was asked, or not, for a reason. */
  admission(): 'free' | Promise<'free' | 'ask' | Fault>
  /** Asks a person before a run starts. False: the run must not start. */
  ask(): Promise<boolean>
  /** The open request was answered, has expired, or is cancelled. */
  answered(decision: ApprovalDecision): void
  /** The agent’s process has ended. */
  processEnded(): void
  /** How long the agent has worked, in ms. */
  workedMs(): number
  /** The session leaves memory. */
  close(): void
}

export const createBudgetGuard = (options: BudgetGuardOptions): BudgetGuard => {
  const { limits, totals, workedMs } = options
  const guard: Guard = {
    ...options,
    clock: createWorkClock(options.now, workedMs),
    final: createFinalAnswer(),
    levels: new Map(),
    usage: usageOf(totals),
    asked: undefined,
    askedOn: '',
    admitted: undefined,
    isSettling: false,
    isStopping: false,
    isClosed: false,
    hasNamedUnpriced: false,
    timer: undefined,
    check: () => check(guard),
  }
  // What was reached before is not reported again.
  for (const each of inForce(guard)) guard.levels.set(limitKey(each), levelOf(each))
  const unsubscribe = limits.subscribe(guard.check)

  return {
    observe: (event) => observe(guard, event),
    admission() {
      const reached = exceeded(guard)
      return reached ? admission(guard, reached) : 'free'
    },
    ask() {
      const reached = exceeded(guard)
      if (!reached) return Promise.resolve(true)
      guard.admitted ??= Promise.withResolvers()
      const { promise } = guard.admitted
      if (!guard.asked) request(guard, reached)
      return promise
    },
    answered: (decision) => answered(guard, decision),
    processEnded() {
      guard.asked = undefined
      guard.clock.stop()
      admit(guard, false)
    },
    workedMs: guard.clock.ms,
    close() {
      guard.isClosed = true
      clearTimeout(guard.timer)
      unsubscribe()
    },
  }
}

const usageOf = (totals: Totals): Guard['usage'] => ({
  costUsd: totals.costUsd ?? 0,
  tokens: allTokens(totals),
})

const admission = async (
  guard: Guard,
  { scope }: LimitInForce,
): Promise<'free' | 'ask' | Fault> => {
  if (scope !== 'session') await guard.limits.settled()
  const reached = exceeded(guard)
  if (!reached) return 'free'
  return reached.onExceeded === 'ask'
    ? 'ask'
    : new Fault('budget_exceeded', `${describeUse(reached)} Raise it, then send the prompt again.`)
}

const observe = (guard: Guard, event: AgentEvent): void => {
  const { final, clock, limits } = guard
  const wasFinal = final.isGiven()
  final.observe(event)
  switch (event.type) {
    case 'usage_update':
      guard.usage = usageOf(event.totals)
      nameUnpriced(guard, event.totals)
      // An agent that uses tokens although it is frozen was continued by somebody else.
      if (guard.asked && !guard.admitted && !guard.isAborting()) guard.freeze()
      break
    case 'agent_start':
      guard.isStopping = false
      clock.start()
      break
    case 'agent_end':
      clock.stop()
      // There is nothing left to decide.
      if (guard.asked && !guard.admitted) close(guard, 'deny')
      break
    case 'approval_request':
      clock.wait(event.approvalId)
      setTimer(guard)
      return
    case 'approval_resolved':
      clock.answered(event.approvalId)
      setTimer(guard)
      return
    case 'turn_start':
      // Its time may have been over before the agent started.
      break
    default:
      // The agent goes on, although its last answer looked like the end of the run.
      if (wasFinal && !final.isGiven()) check(guard)
      return
  }
  limits.report(spent(guard))
  check(guard)
}

/** A limit on money does not hold for models without a price. People must know that. */
const nameUnpriced = (guard: Guard, { unpriced = [] }: Totals): void => {
  if (unpriced.length === 0 || guard.hasNamedUnpriced) return
  if (!inForce(guard).some(({ measure }) => measure === 'costUsd')) return
  guard.hasNamedUnpriced = true
  guard.emit(unpricedNotice(unpriced))
}

/** Compares what was used with the limits. `isSettled`: shared limits were just counted exactly. */
const check = (guard: Guard, isSettled = false): void => {
  if (guard.isClosed) return
  const all = inForce(guard)
  const reached = exceeded(guard, all)
  const isNew = reached && guard.levels.get(limitKey(reached)) !== 'exceeded'
  if (isNew && reached.scope !== 'session' && !isSettled) {
    settle(guard)
    return
  }
  report(guard, all)
  setTimer(guard, all)
  if (guard.asked) checkAsked(guard, all)
  else if (!reached || isEnding(guard)) guard.unfreeze()
  else if (mayWorkOn(guard)) act(guard, reached)
}

/** Whether the run ends by itself, without another model call. */
const isEnding = ({ final, hasQueued }: Guard): boolean => final.isGiven() && !hasQueued()

/** Whether the agent is about to call a model. A run that ends by itself is not: the next one is. */
const mayWorkOn = (guard: Guard): boolean =>
  guard.isWorking() && !isEnding(guard) && !guard.isStopping && !guard.isAborting()

/** What is counted together with other sessions can be too high until it is read from the log. */
const settle = (guard: Guard): void => {
  if (mayWorkOn(guard)) guard.freeze()
  if (guard.isSettling) return
  guard.isSettling = true
  void guard.limits.settled().finally(() => {
    guard.isSettling = false
    check(guard, true)
  })
}

/** Reports limits that are nearly used or reached, each once. */
const report = ({ levels, emit }: Guard, all: readonly LimitInForce[]): void => {
  for (const each of all) {
    const level = levelOf(each)
    const before = levels.get(limitKey(each)) ?? 'free'
    levels.set(limitKey(each), level)
    if (level === 'free' || before === level || before === 'exceeded') continue
    emit({ type: 'budget_update', level, budget: useOf(each) })
  }
}

/** Somebody may have raised the limit in another session, or a new day has begun. */
const checkAsked = (guard: Guard, all: readonly LimitInForce[]): void => {
  const key = guard.asked && limitKey(guard.asked)
  const same = all.find((each) => limitKey(each) === key)
  if (same && levelOf(same) === 'exceeded') return
  const isRaised = same !== undefined && same.limit > (guard.asked?.limit ?? 0)
  if (same) release(guard, same, isDayOver(guard) && !isRaised)
  else close(guard, 'allow')
  goOn(guard)
}
