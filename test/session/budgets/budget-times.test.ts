import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type {
  AgentEvent,
  BudgetScope,
  Message,
  StampedEvent,
  Totals,
} from '../../../src/events/types.ts'
import { emptyTotals } from '../../../src/events/usage-sums.ts'
import { openMemoryLog } from '../../../src/log/index.ts'
import { noSums } from '../../../src/log/spending-update.ts'
import { type BudgetBook, openBudgetBook } from '../../../src/session/budgets/budget-book.ts'
import {
  type BudgetGuard,
  createBudgetGuard,
} from '../../../src/session/conversation/budget-guard.ts'
import { session as sessionRecord } from '../../log/samples.ts'
import { ofType } from '../../support/decoded.ts'
import { dataDirectory, openDemoSessions } from '../../support/demo-sessions.ts'
import { eventually } from '../../support/eventually.ts'

const minute = 60_000
const hour = 60 * minute
/** Ten minutes before midnight, in the time zone of this machine. */
const evening = new Date(2026, 10, 16, 23, 50).getTime()

/** Budgets of agents that only their events stand for, with a clock that the test moves. */
describe('the time of budgets', () => {
  let book: BudgetBook
  /** What the log has, and when it was used. */
  let stored: { at: number; tokens: number }[] = []

  beforeEach(async () => {
    vi.useFakeTimers({ now: evening })
    stored = []
    const log = await openMemoryLog()
    book = await openBudgetBook({
      ...{ budgets: log.budgets, settings: log.settings, now: Date.now },
      spending: {
        async total({ since = 0 } = {}) {
          const tokens = stored.filter(({ at }) => at >= since).map((each) => each.tokens)
          const input = tokens.reduce((sum, each) => sum + each, 0)
          return { ...noSums(), input }
        },
      },
      onError: (cause) => expect.unreachable(String(cause)),
    })
  })
  afterEach(() => vi.useRealTimers())

  /** A session whose agent works until it is frozen. */
  const work = (id: string, projectId = 'p') => {
    const events: AgentEvent[] = []
    const audit: string[] = []
    let isFrozen = false
    const spent = { costUsd: 0, tokens: 0, durationMs: 0 }
    const limits = book.open({ ...sessionRecord(id), projectId }, { spent, onRaised() {} })
    const emit = (event: AgentEvent): void => {
      events.push(event)
      guard.observe(event)
    }
    const guard: BudgetGuard = createBudgetGuard({
      ...{ limits, totals: emptyTotals(), workedMs: 0, now: Date.now, emit },
      isWorking: () => true,
      isAborting: () => false,
      hasQueued: () => false,
      request: emit,
      withdraw(action, reason) {
        const approvalId = ofType(events, 'approval_request').at(-1)?.approvalId ?? ''
        const outcome = reason === undefined ? 'cancelled' : 'expired'
        emit({ type: 'approval_resolved', approvalId, action, outcome, message: reason })
      },
      freeze() {
        isFrozen = true
      },
      unfreeze() {
        isFrozen = false
      },
      stop() {},
      onDecision: (action) => audit.push(action),
    })
    emit({ type: 'agent_start' })
    return {
      ...{ events, audit, guard },
      /** The agent has given its last answer. */
      answer() {
        const message: Message = { role: 'assistant', content: [], stopReason: 'stop' }
        emit({ type: 'message_end', messageId: 'm', message })
      },
      isFrozen: () => isFrozen,
      levels: () => ofType(events, 'budget_update').map(({ level }) => level),
      /** The agent has used so many tokens in all, and the log has them. */
      use(tokens: number, more: Partial<Totals> = {}) {
        const totals = { ...emptyTotals(), input: tokens, ...more }
        emit({ type: 'usage_update', totals, byModel: {}, context: null })
        stored.push({ at: Date.now(), tokens })
        limits.stored({ costUsd: 0, tokens, durationMs: 0 })
      },
    }
  }
  const limit = (scope: BudgetScope, limits: object) =>
    book.set({ scope, limits, ...(scope === 'project' && { projectId: 'p' }) })
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

  test('a session that is paused at the limit of a day goes on when the day is over', async () => {
    await limit('day', { tokens: 1000 })
    const { use, isFrozen, events, audit, levels } = work('a')
    use(1200)
    await pass(9 * minute)
    expect(isFrozen()).toBe(true)
    expect(ofType(events, 'approval_request')).toMatchObject([{ kind: 'budget' }])
    expect(ofType(events, 'approval_resolved')).toEqual([])
    await pass(minute)
    expect(isFrozen()).toBe(false)
    const message = 'A new day has begun: the limit of the day (1,000 tokens) counts from zero.'
    expect(ofType(events, 'approval_resolved')).toMatchObject([
      { action: 'allow', outcome: 'expired', message },
    ])
    expect(levels()).toEqual(['exceeded', 'renewed'])
    expect(ofType(events, 'budget_update').at(-1)?.budget).toMatchObject({ spent: 0, limit: 1000 })
    expect(audit).toEqual(['budget_renewed'])
  })

  test('it stays paused if others have used the limit of the new day, until the next one', async () => {
    await limit('day', { tokens: 1000 })
    const { use, isFrozen, levels } = work('a')
    use(1200)
    stored.push({ at: evening + 10 * minute, tokens: 5000 })
    await pass(hour)
    expect(isFrozen()).toBe(true)
    await pass(24 * hour)
    expect(isFrozen()).toBe(false)
    expect(levels()).toEqual(['exceeded', 'renewed'])
  })

  test('a session at the limit of a project stays paused on the next day', async () => {
    await limit('project', { tokens: 1000 })
    const { use, isFrozen } = work('a')
    use(1200)
    await pass(48 * hour)
    expect(isFrozen()).toBe(true)
  })

  test('the working times of a project are added up, without an end', async () => {
    await limit('project', { durationMs: 15 * minute })
    const [first, second, other] = [work('a'), work('b'), work('c', 'other')]
    // Two agents at once: seven and a half minutes each.
    await pass(7 * minute)
    expect([first.isFrozen(), second.isFrozen()]).toEqual([false, false])
    expect(first.levels()).toEqual(['warning'])
    await pass(minute)
    expect([first.isFrozen(), second.isFrozen(), other.isFrozen()]).toEqual([true, true, false])
    await pass(24 * hour)
    expect([first.isFrozen(), second.isFrozen()]).toEqual([true, true])
    const [status] = await book.list()
    expect(status?.uses?.[0]?.spent).toBeLessThan(15 * minute + 10_000)
  })

  test('the working times of a day are added up, and count from zero at midnight', async () => {
    await limit('day', { durationMs: 5 * minute })
    const { isFrozen, levels, events } = work('a')
    await pass(4.5 * minute)
    expect(levels()).toEqual(['warning'])
    await pass(minute)
    expect(isFrozen()).toBe(true)
    expect(ofType(events, 'approval_request')[0]?.budget).toMatchObject({
      ...{ scope: 'day', measure: 'durationMs', limit: 5 * minute },
    })
    // Ten minutes after the start the day is over; five more minutes of work are left then.
    await pass(7 * minute)
    expect(isFrozen()).toBe(false)
    await pass(4 * minute)
    expect(isFrozen()).toBe(true)
    expect(levels()).toEqual(['warning', 'exceeded', 'renewed', 'warning', 'exceeded'])
  })

  test('a raise in one session is an event in the others that it lets go on', async () => {
    await limit('day', { tokens: 1000 })
    const [first, second] = [work('a'), work('b')]
    first.use(1200)
    second.use(10)
    await pass(1)
    expect([first.isFrozen(), second.isFrozen()]).toEqual([true, true])
    first.guard.answered({ action: 'allow', raise: 5000 })
    expect([first.isFrozen(), second.isFrozen()]).toEqual([false, false])
    expect(second.levels()).toEqual(['exceeded', 'raised'])
  })

  test('an agent whose last answer reaches the limit of a day is not left frozen', async () => {
    await limit('day', { tokens: 1000 })
    const { use, isFrozen, answer, events } = work('a')
    answer()
    use(1200)
    await pass(1)
    expect(isFrozen()).toBe(false)
    expect(ofType(events, 'approval_request')).toEqual([])
  })

  test('a limit on money that cannot be measured is named once', async () => {
    await limit('day', { costUsd: 5 })
    const { use, events } = work('a')
    use(100, { unpriced: ['own-model'] })
    use(200, { unpriced: ['own-model'] })
    const notices = () => ofType(events, 'session_update').map(({ notice }) => notice)
    expect(notices()).toEqual([
      { level: 'warning', text: expect.stringMatching(/^There is no price for own-model, so /) },
    ])
  })

  test('without a limit on money, a model without a price is not named', async () => {
    await limit('day', { tokens: 5000 })
    const { use, events } = work('a')
    use(100, { unpriced: ['own-model'] })
    expect(ofType(events, 'session_update')).toEqual([])
  })
})

test('a real agent goes on when the day is over, and the log and the audit have why', async () => {
  const events: StampedEvent[] = []
  let ahead = 0
  const sessions = await openDemoSessions({
    directory: dataDirectory(),
    publish: (event) => events.push(event),
    now: () => Date.now() + ahead,
  })
  onTestFinished(sessions.close)
  const budget = await sessions.budgets.set({ scope: 'day', limits: { tokens: 50 } })
  const { session, record } = await sessions.createDemoSession()
  await session.prompt('tool')
  await eventually(() => expect(session.pendingApprovals()).toMatchObject([{ kind: 'budget' }]))
  ahead = 24 * hour
  // Every change of a budget makes the sessions look at their limits.
  await sessions.budgets.change(budget.id, { onExceeded: 'ask' })
  await session.idle()
  expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'stop' }])
  const detail = 'A new day has begun: the limit of the day (50 tokens) counts from zero.'
  await eventually(async () => {
    const approvals = await sessions.log.approvals.list({ sessionId: record.id })
    const approval = approvals.find(({ kind }) => kind === 'budget')
    expect(approval).toMatchObject({ status: 'expired', action: 'allow', message: detail })
    const audit = await sessions.log.audit.list({ action: 'budget_renewed' })
    expect(audit).toMatchObject([{ detail }])
  })
})
