import { describeRenewal, formatAmount } from '../../budget/amounts.ts'
import { dayOf } from '../../budget/day.ts'
import { type LimitInForce, limitKey, useOf } from '../../budget/limits.ts'
import { exceeded, type Guard, setTimer } from './budget-state.ts'
import type { ApprovalDecision } from './session.ts'

/** Freezes the agent, and asks a person or stops the run. */
export const act = (guard: Guard, reached: LimitInForce): void => {
  guard.freeze()
  if (reached.onExceeded === 'ask') request(guard, reached)
  else stop(guard, reached, { action: 'deny' })
}

export const request = (guard: Guard, reached: LimitInForce): void => {
  guard.asked = reached
  guard.askedOn = dayOf(guard.now())
  const approvalId = `budget ${limitKey(reached)}`
  guard.request({ type: 'approval_request', approvalId, kind: 'budget', budget: useOf(reached) })
}

/** The open request was answered, has expired, or is cancelled. */
export const answered = (guard: Guard, decision: ApprovalDecision): void => {
  const reached = guard.asked
  guard.asked = undefined
  if (!reached) return
  if (decision.action === 'allow') {
    raise(guard, reached, decision)
    goOn(guard)
  } else if (guard.isAborting())
    admit(guard, false) // the abort has cancelled the request
  else stop(guard, reached, decision)
}

const raise = (guard: Guard, reached: LimitInForce, decision: ApprovalDecision): void => {
  const { measure, limit, base, scope } = reached
  const { raise: amount = base, by } = decision
  guard.limits.raise(reached, amount)
  const to = limit + amount
  const who = by === undefined || by === 'person' ? {} : { by }
  guard.levels.delete(limitKey(reached))
  guard.emit({
    type: 'budget_update',
    level: 'raised',
    budget: { ...useOf(reached), limit: to },
    ...who,
  })
  const change = `from ${formatAmount(measure, limit)} to ${formatAmount(measure, to)}`
  guard.onDecision('budget_raised', `${scope}: ${change}`, decision)
}

/** Asks about the next limit that is reached, or lets the agent continue. */
export const goOn = (guard: Guard): void => {
  const next = exceeded(guard)
  if (next) act(guard, next)
  else {
    admit(guard, true)
    guard.unfreeze()
    setTimer(guard)
  }
}

/** Lets the run start that waits for an answer, or not. */
export const admit = (guard: Guard, isAdmitted: boolean): void => {
  guard.admitted?.resolve(isAdmitted)
  guard.admitted = undefined
}

const stop = (guard: Guard, reached: LimitInForce, decision: ApprovalDecision): void => {
  guard.isStopping = true
  const { scope, measure, limit } = reached
  const message = `The run was stopped: the limit of this ${scope} (${formatAmount(measure, limit)}) is reached.`
  guard.onDecision('budget_stopped', message, decision)
  guard.emit({ type: 'error', code: 'budget_exceeded', message, fatal: false })
  if (guard.admitted) admit(guard, false)
  else guard.stop()
}

/** Closes the open request, which nobody needs to answer any more. */
export const close = (guard: Guard, action: 'allow' | 'deny', reason?: string): void => {
  guard.asked = undefined
  guard.withdraw(action, reason)
}

/** The limit is not reached any more: it was raised in another session, or counts from zero again. */
export const release = (guard: Guard, limit: LimitInForce, isRenewed: boolean): void => {
  const reason = isRenewed ? describeRenewal(limit) : undefined
  close(guard, 'allow', reason)
  const level = isRenewed ? 'renewed' : 'raised'
  guard.emit({ type: 'budget_update', level, budget: useOf(limit) })
  if (reason !== undefined) guard.onDecision('budget_renewed', reason, { action: 'allow' })
}
