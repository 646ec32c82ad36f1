import { describe, expect, test } from 'vitest'
import type { Log } from '../../../src/log/index.ts'
import { all } from '../../log/samples.ts'
import { ofType } from '../../support/decoded.ts'
import { dataDirectory, openDemoSessions } from '../../support/demo-sessions.ts'
import { patiently } from '../../support/patiently.ts'

/** How far behind the head each reading of events began. */
const watching = () => {
  const afters: number[] = []
  const seen = (log: Log): Log => ({
    ...log,
    read(sessionId, after, limit) {
      afters.push(after)
      return log.read(sessionId, after, limit)
    },
  })
  return { afters, seen }
}

const accountOf = async (log: Log, id: string) =>
  ofType(await all(log.read(id, 0)), 'usage_update').at(-1)

describe('how many agents live', () => {
  test('is what the limit counts, not how many sessions there are', async () => {
    const { begin, list, close } = await openDemoSessions({
      directory: dataDirectory(),
      maxAgents: 1,
      pace: 5,
    })
    const [first, second] = [await begin(), await begin()]
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

  test('a session whose agent is not installed can be read; only its agent cannot be started', async () => {
    const directory = dataDirectory()
    const first = await openDemoSessions({ directory })
    const { record, session } = await first.begin()
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

  test('a session that was removed is told from one that cannot start', async () => {
    const { begin, get, remove, close } = await openDemoSessions({ directory: dataDirectory() })
    const { record, session } = await begin()
    await remove(record.id)
    expect(await get(record.id)).toBeUndefined()
    expect(await session.prompt('think')).toMatchObject({ code: 'unknown_session' })
    await expect(remove(record.id)).rejects.toMatchObject({ code: 'unknown_session' })
    await close()
  })
})

describe('a session leaves the memory', () => {
  test('when it has rested, and whoever holds it notices nothing', async () => {
    const { begin, log, close } = await openDemoSessions({
      directory: dataDirectory(),
      idleMs: 20,
    })
    const { record, session } = await begin()
    await session.prompt('think')
    await session.idle()
    await patiently(() => expect(session.isAlive()).toBe(false))
    await session.prompt('think')
    await session.idle()
    const events = await all(log.read(record.id, 0))
    expect(ofType(events, 'agent_end')).toHaveLength(2)
    expect(JSON.stringify(events)).toContain('Going on with conversation demo-')
    await close()
  })

  test('and still knows what was allowed for its whole life', async () => {
    const { begin, log, close } = await openDemoSessions({
      directory: dataDirectory(),
      idleMs: 20,
      policy: 'ask',
    })
    const { record, session } = await begin()
    await session.prompt('tool')
    await patiently(() => expect(session.pendingApprovals()).toHaveLength(1))
    const [{ approvalId = '' } = {}] = session.pendingApprovals()
    session.answer(approvalId, { action: 'allow', remember: 'tool' })
    await session.idle()
    await patiently(() => expect(session.isAlive()).toBe(false))
    await session.prompt('tool')
    await session.idle()
    const outcomes = ofType(await all(log.read(record.id, 0)), 'approval_resolved')
    expect(outcomes).toMatchObject([{ outcome: 'answered' }, { outcome: 'policy', by: 'session' }])
    await close()
  })

  test('two messages at once: the second joins the run of the first', async () => {
    const { begin, log, close } = await openDemoSessions({ directory: dataDirectory(), pace: 2 })
    const { record, session } = await begin()
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

describe('the account of a session that is opened again', () => {
  /** Three runs; between them the agent is ended, or Sluice is. */
  const threeRuns = async (isReopened: boolean) => {
    const directory = dataDirectory()
    const { afters, seen } = watching()
    let opened = await openDemoSessions({ directory, seen })
    const { record } = await opened.begin()
    for (const word of ['think', 'parallel', 'think']) {
      const session = await opened.get(record.id)
      await session?.prompt(word)
      await session?.idle()
      await session?.stop()
      if (!isReopened) continue
      await opened.close()
      opened = await openDemoSessions({ directory, seen })
    }
    const head = await opened.log.head(record.id)
    const account = await accountOf(opened.log, record.id)
    await opened.close()
    return { afters, head, totals: account?.totals, byModel: account?.byModel }
  }

  test('is the account of one process', async () => {
    const [once, again] = [await threeRuns(false), await threeRuns(true)]
    expect(again.totals).toEqual(once.totals)
    expect(again.byModel).toEqual(once.byModel)
  })

  test('needs only the events behind the last run', async () => {
    const { afters, head } = await threeRuns(true)
    // Woken with the first prompt, and once more after each restart.
    expect(afters).toHaveLength(3)
    expect(afters[0]).toBe(0)
    expect(head - (afters[2] ?? 0)).toBeLessThan(head / 2)
  })
})
