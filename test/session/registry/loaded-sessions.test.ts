import { describe, expect, test } from 'vitest'
import type { Log } from '../../../src/log/index.ts'
import { all } from '../../log/samples.ts'
import { ofType } from '../../support/decoded.ts'
import { dataDirectory, openDemoSessions } from '../../support/demo-sessions.ts'
import { eventually } from '../../support/eventually.ts'

/** A log that notes where each read of events starts. */
const watchReads = () => {
  const afters: number[] = []
  const wrapLog = (log: Log): Log => ({
    ...log,
    read(sessionId, after, limit) {
      afters.push(after)
      return log.read(sessionId, after, limit)
    },
  })
  return { afters, wrapLog }
}

const usageOf = async (log: Log, id: string) =>
  ofType(await all(log.read(id, 0)), 'usage_update').at(-1)

describe('the limit of agents', () => {
  test('counts running agents, not sessions', async () => {
    const { createDemoSession, list, close } = await openDemoSessions({
      directory: dataDirectory(),
      maxAgents: 1,
      pace: 5,
    })
    const [first, second] = [await createDemoSession(), await createDemoSession()]
    await first.session.prompt('long')
    expect(await second.session.prompt('think')).toEqual({
      outcome: 'failed',
      code: 'too_many_sessions',
      error: '1 agent is already running (the limit). Stop it, or raise --max-agents.',
    })
    expect(second.session.isBusy()).toBe(false)
    await first.session.abort()
    expect(await second.session.prompt('think')).toEqual({ outcome: 'accepted' })
    expect([first.session.isAlive(), second.session.isAlive()]).toEqual([false, true])
    await second.session.idle()
    expect(await list()).toHaveLength(2)
    await close()
  })

  test('a session whose agent is not installed can be read, but not prompted', async () => {
    const directory = dataDirectory()
    const first = await openDemoSessions({ directory })
    const { record, session } = await first.createDemoSession()
    await session.prompt('think')
    await session.idle()
    await first.close()

    const { create, get, list, log, close } = await openDemoSessions({
      directory,
      findProgram: () => undefined,
    })
    const found = await get(record.id)
    expect(found?.isBusy()).toBe(false)
    expect(found?.pendingApprovals()).toEqual([])
    expect(await list()).toMatchObject([{ id: record.id }])
    expect(await all(log.read(record.id, 0))).not.toEqual([])
    expect(await found?.prompt('think')).toMatchObject({
      outcome: 'failed',
      code: 'agent_not_found',
    })
    await expect(create({ agent: 'demo', cwd: directory })).rejects.toMatchObject({
      code: 'agent_not_found',
    })
    expect(await list()).toHaveLength(1)
    await close()
  })

  test('a removed session fails with its own code', async () => {
    const { createDemoSession, get, remove, close } = await openDemoSessions({
      directory: dataDirectory(),
    })
    const { record, session } = await createDemoSession()
    await remove(record.id)
    expect(await get(record.id)).toBeUndefined()
    expect(await session.prompt('think')).toMatchObject({ code: 'unknown_session' })
    await expect(remove(record.id)).rejects.toMatchObject({ code: 'unknown_session' })
    await close()
  })
})

describe('a session that is unloaded', () => {
  test('after the idle time is loaded again by the next prompt', async () => {
    const { createDemoSession, log, close } = await openDemoSessions({
      directory: dataDirectory(),
      idleMs: 20,
    })
    const { record, session } = await createDemoSession()
    await session.prompt('think')
    await session.idle()
    await eventually(() => expect(session.isAlive()).toBe(false))
    await session.prompt('think')
    await session.idle()
    const events = await all(log.read(record.id, 0))
    expect(ofType(events, 'agent_end')).toHaveLength(2)
    expect(JSON.stringify(events)).toContain('Continuing conversation demo-')
    await close()
  })

  test('keeps its rules', async () => {
    const { createDemoSession, log, close } = await openDemoSessions({
      directory: dataDirectory(),
      idleMs: 20,
      policy: 'ask',
    })
    const { record, session } = await createDemoSession()
    await session.prompt('tool')
    await eventually(() => expect(session.pendingApprovals()).toHaveLength(1))
    const [{ approvalId = '' } = {}] = session.pendingApprovals()
    const rule = { tool: 'bash', pattern: 'npm test' }
    const remember = { scope: 'session', rule } as const
    session.answer(approvalId, { action: 'allow', remember })
    await session.idle()
    await eventually(() => expect(session.isAlive()).toBe(false))
    await session.prompt('tool')
    await session.idle()
    const outcomes = ofType(await all(log.read(record.id, 0)), 'approval_resolved')
    expect(outcomes).toMatchObject([{ outcome: 'answered' }, { outcome: 'policy', by: 'rule' }])
    await close()
  })

  test('joins two messages that are sent at once into one run', async () => {
    const { createDemoSession, log, close } = await openDemoSessions({
      directory: dataDirectory(),
      pace: 2,
    })
    const { record, session } = await createDemoSession()
    const first = session.prompt('think')
    expect(session.isBusy()).toBe(true)
    const second = session.steer('rather fail')
    expect(await Promise.all([first, second])).toEqual(Array(2).fill({ outcome: 'accepted' }))
    await session.idle()
    const events = await all(log.read(record.id, 0))
    expect(ofType(events, 'agent_start')).toHaveLength(1)
    await close()
  })
})

describe('the usage of a session that is loaded again', () => {
  /** Three runs; between them, the agent or all of Sluice is restarted. */
  const threeRuns = async (isReopened: boolean) => {
    const directory = dataDirectory()
    const { afters, wrapLog } = watchReads()
    let opened = await openDemoSessions({ directory, wrapLog })
    const { record } = await opened.createDemoSession()
    for (const word of ['think', 'parallel', 'think']) {
      const session = await opened.get(record.id)
      if (!session) throw new Error('no session')
      await session.prompt(word)
      await session.idle()
      await session.stop()
      if (!isReopened) continue
      await opened.close()
      opened = await openDemoSessions({ directory, wrapLog })
    }
    const head = await opened.log.head(record.id)
    const usage = await usageOf(opened.log, record.id)
    await opened.close()
    return { afters, head, totals: usage?.totals, byModel: usage?.byModel }
  }

  test('is the same as that of one process', async () => {
    const [once, again] = [await threeRuns(false), await threeRuns(true)]
    expect(again.totals).toEqual(once.totals)
    expect(again.byModel).toEqual(once.byModel)
  })

  test('is computed from the last checkpoint and the events after it', async () => {
    const { afters, head } = await threeRuns(true)
    // Loaded with the first prompt, and again after each restart.
    expect(afters).toHaveLength(3)
    expect(afters[0]).toBe(0)
    expect(head - (afters[2] ?? 0)).toBeLessThan(head / 2)
  })
})
