import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BudgetLimits, EventOf, StampedEvent } from '../../../src/events/types.ts'
import { type Log, openMemoryLog } from '../../../src/log/index.ts'
import { openSessions } from '../../../src/session/registry/open-sessions.ts'
import type { Sessions, SessionsOptions } from '../../../src/session/registry/sessions.ts'
import { piSetup } from '../../agents/pi.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import { ofType } from '../../support/decoded.ts'
import { eventually } from '../../support/eventually.ts'

/** Real Pi processes with a scripted model: each call has about 1,820 tokens. */
describe('the budget of a session', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: ReturnType<typeof piSetup>
  let log: Log
  let sessions: Sessions
  let events: StampedEvent[] = []

  beforeEach(async () => {
    model = await startModel()
    setup = piSetup('0.87', model.url)
    log = await openMemoryLog()
    events = []
  })
  afterEach(async () => {
    await sessions.close()
    await log.close()
    setup.remove()
    await model.close()
  })

  const open = async (
    limits?: BudgetLimits,
    { onExceeded, ...more }: Partial<SessionsOptions> & { onExceeded?: 'ask' | 'stop' } = {},
  ) => {
    const program = agentProgram(setup)
    sessions = await openSessions({
      log,
      publish: (event) => events.push(event),
      findProgram: () => program,
      env: setup.env,
      policy: 'allow',
      ...more,
    })
    return create(limits, onExceeded)
  }

  const create = async (limits?: BudgetLimits, onExceeded: 'ask' | 'stop' = 'ask') => {
    const { record, session } = await sessions.create({
      agent: 'pi',
      cwd: setup.cwd,
      model: 'fake/fake-sonnet',
      projectId: 'p',
      ...(limits && { budget: { limits, onExceeded } }),
    })
    return { id: record.id, session }
  }

  /** The last request about a budget, once there are so many. */
  const budgetRequest = (count = 1) =>
    eventually(() => {
      const requests = ofType(events, 'approval_request').filter(({ kind }) => kind === 'budget')
      expect(requests).toHaveLength(count)
      return requests.at(-1) ?? expect.unreachable()
    })

  const ended = (count = 1): Promise<EventOf<'agent_end'>> =>
    eventually(() => {
      const ends = ofType(events, 'agent_end')
      expect(ends).toHaveLength(count)
      return ends.at(-1) ?? expect.unreachable()
    })

  const outcomeOf = (id: string) =>
    ofType(events, 'approval_resolved').find(({ approvalId }) => approvalId === id)

  const levels = () => ofType(events, 'budget_update').map(({ level }) => level)

  test('a limit pauses the run before the next model call, and goes on when it is raised', async () => {
    const { id, session } = await open({ tokens: 20 })
    await session.prompt('scenario:three-tools please')
    const request = await budgetRequest()
    expect(request.budget).toMatchObject({
      budgetId: 'own',
      scope: 'session',
      measure: 'tokens',
      limit: 20,
      spent: 1820,
    })
    expect(model.requests).toHaveLength(1)
    expect(ofType(events, 'agent_end')).toEqual([])
    expect(session.answer(request.approvalId, { action: 'allow', raise: 100_000 })).toBe(true)
    expect(await ended()).toMatchObject({ stopReason: 'stop' })
    expect(model.requests).toHaveLength(4)
    expect(levels()).toEqual(['exceeded', 'raised'])
    expect(outcomeOf(request.approvalId)).toMatchObject({ raise: 100_000 })
    expect((await log.sessions.get(id))?.raised).toEqual({ own: { tokens: 100_000 } })
    expect((await log.audit.list()).map(({ action }) => action)).toContain('budget_raised')
  })

  test('a warning comes at 80 %, and the limit is passed by less than one call', async () => {
    const { session } = await open({ tokens: 4200 })
    await session.prompt('scenario:three-tools please')
    const { approvalId, budget } = await budgetRequest()
    expect(levels()).toEqual(['warning', 'exceeded'])
    expect(model.requests).toHaveLength(3)
    expect((budget?.spent ?? 0) - 4200).toBeLessThan(1900)
    session.answer(approvalId, { action: 'deny', by: 'Ann' })
    expect(await ended()).toMatchObject({ stopReason: 'aborted' })
    expect(model.requests).toHaveLength(3)
    expect(ofType(events, 'error')).toMatchObject([
      {
        code: 'budget_exceeded',
        message: 'The run was stopped: the limit of this session (4,200 tokens) is reached.',
      },
    ])
    const [stopped] = await log.audit.list({ action: 'budget_stopped' })
    expect(stopped).toMatchObject({ by: 'Ann' })
  })

  test('without a person the run is stopped, and the next prompt is refused', async () => {
    const { id, session } = await open({ costUsd: 0.001 }, { onExceeded: 'stop' })
    await session.prompt('scenario:three-tools please')
    expect(await ended()).toMatchObject({ stopReason: 'aborted' })
    expect(model.requests).toHaveLength(1)
    expect(ofType(events, 'approval_request').filter(({ kind }) => kind === 'budget')).toEqual([])
    expect(await session.prompt('scenario:text again')).toMatchObject({
      outcome: 'failed',
      code: 'budget_exceeded',
    })
    sessions.budgets.setOwn(id, { limits: { costUsd: 5 } })
    expect(await session.prompt('scenario:text again')).toEqual({ outcome: 'accepted' })
    expect(await ended(2)).toMatchObject({ stopReason: 'stop' })
  })

  test('a run that ends with the call that reaches the limit is not stopped, but the next waits', async () => {
    const { session } = await open({ tokens: 100 })
    await session.prompt('scenario:text please')
    expect(await ended()).toMatchObject({ stopReason: 'stop' })
    expect(levels()).toEqual(['exceeded'])
    expect(await session.prompt('scenario:text again')).toEqual({ outcome: 'accepted' })
    const first = await budgetRequest()
    session.answer(first.approvalId, { action: 'deny' })
    expect(await ended(2)).toMatchObject({ stopReason: 'error' })
    expect(model.requests).toHaveLength(1)

    await session.prompt('scenario:text once more')
    const second = await budgetRequest(2)
    session.answer(second.approvalId, { action: 'allow', raise: 50_000 })
    expect(await ended(3)).toMatchObject({ stopReason: 'stop' })
    expect(JSON.stringify(model.requests.at(-1))).toContain('once more')
  })

  test('a paused run can be aborted, and a paused agent ends with its session', async () => {
    const { session } = await open({ tokens: 20 })
    await session.prompt('scenario:three-tools please')
    const { approvalId } = await budgetRequest()
    await session.abort()
    expect(await ended()).toMatchObject({ stopReason: 'aborted' })
    expect(outcomeOf(approvalId)).toMatchObject({ outcome: 'cancelled' })

    const other = await create({ tokens: 20 })
    await other.session.prompt('scenario:three-tools please')
    await budgetRequest(2)
    await other.session.stop()
    expect(other.session.isAlive()).toBe(false)
    expect(await ended(2)).toMatchObject({ stopReason: 'interrupted' })
  })

  test.runIf(process.platform === 'linux')(
    'a paused agent that another process continues is paused again, and may be killed',
    async () => {
      const { id, session } = await open({ tokens: 20 })
      await session.prompt('scenario:three-tools please')
      const { approvalId } = await budgetRequest()
      const pid = (await log.sessions.get(id))?.pid ?? expect.unreachable()
      process.kill(pid, 'SIGCONT')
      // It passes its limit by one call more, then it is stopped again.
      await eventually(() => expect(ofType(events, 'usage_update').length).toBeGreaterThan(1))
      await eventually(() => expect(readFileSync(`/proc/${pid}/stat`, 'latin1')).toContain(') T '))
      expect(model.requests).toHaveLength(2)
      expect(session.pendingApprovals()).toHaveLength(1)
      process.kill(pid, 'SIGKILL')
      await ended()
      expect(outcomeOf(approvalId)).toMatchObject({ outcome: 'cancelled', action: 'deny' })
      expect(session.pendingApprovals()).toEqual([])
    },
  )

  test('sessions of a project share its budget, and one answer lets all go on', async () => {
    const { session } = await open()
    await sessions.budgets.set({ scope: 'project', projectId: 'p', limits: { tokens: 2000 } })
    const other = await create()
    await session.prompt('scenario:three-tools please')
    await budgetRequest()
    await other.session.prompt('scenario:three-tools please')
    const request = await budgetRequest(2)
    expect(request.budget).toMatchObject({
      scope: 'project',
      projectId: 'p',
      budgetId: 'project-p',
    })
    other.session.answer(request.approvalId, { action: 'allow', raise: 1_000_000 })
    await ended(2)
    expect(model.requests).toHaveLength(8)
    const [status] = await sessions.budgets.list()
    expect(status?.uses).toMatchObject([{ measure: 'tokens', limit: 1_002_000 }])
    expect(status?.uses?.[0]?.spent).toBeGreaterThan(8 * 1800)
  })

  test('an agent that is still starting is not frozen, so that it confirms its prompt', async () => {
    const { session } = await open({ durationMs: 50 })
    expect(await session.prompt('scenario:three-tools please')).toEqual({ outcome: 'accepted' })
    const { approvalId } = await budgetRequest()
    session.answer(approvalId, { action: 'allow', raise: 600_000 })
    expect(await ended()).toMatchObject({ stopReason: 'stop' })
  })

  test('time counts without the time in which a person is waited for', async () => {
    const { session, id } = await open({ durationMs: 1500 })
    await session.prompt('scenario:slow-tool please')
    const { approvalId, budget } = await budgetRequest()
    expect(budget).toMatchObject({ measure: 'durationMs', limit: 1500 })
    session.answer(approvalId, { action: 'deny' })
    const { stopReason } = await ended()
    expect(stopReason).toBe('aborted')
    await eventually(async () =>
      expect((await log.sessions.get(id))?.workedMs).toBeGreaterThanOrEqual(1500),
    )
  })
})
