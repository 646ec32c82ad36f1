import { expect, test } from 'vitest'
import type { Log } from '../../src/log/index.ts'
import { row, session } from './samples.ts'

export const ledgerContract = (openLog: () => Promise<Log>): void => {
  test('a row replaces the one with the same key and keeps its position', async () => {
    const log = await openLog()
    for (const id of ['a', 'b']) await log.sessions.create(session(id))
    await log.ledger.put('a', [row('a', 'z', 1), row('a', 'y', 2)])
    await log.ledger.put('b', [row('b', 'z', 3)])
    await log.ledger.put('a', [row('a', 'z', 4)])
    expect(await log.ledger.list('a')).toEqual([row('a', 'z', 4), row('a', 'y', 2)])
    expect(await log.ledger.list('b')).toEqual([row('b', 'z', 3)])
    expect(await log.ledger.list('c')).toEqual([])
    const unknown = log.ledger.put('c', [row('c', 'z', 1)])
    await expect(unknown).rejects.toMatchObject({ code: 'unknown_session' })
  })

  test('a long ledger keeps every row in its position, with its last value', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    const state = { period: 1, counters: {}, processes: 2, reports: 1, compactions: 0, models: {} }
    const expected = new Map<string, ReturnType<typeof row>>()
    for (let part = 0; part < 8; part += 1) {
      const rows = Array.from({ length: 400 }, (_, index) => row('a', `${part}-${index}`, part))
      const changed = row('a', '0-7', part)
      for (const each of [...rows, changed]) expected.set(each.key, each)
      await log.ledger.put('a', [...rows, changed], { seq: part + 1, state })
    }
    expect(await log.ledger.list('a')).toEqual([...expected.values()])
    expect(await log.ledger.checkpoint('a')).toEqual({ seq: 8, state })
    await log.sessions.remove('a')
    expect(await log.ledger.list('a')).toEqual([])
  })

  test('a checkpoint is stored with its rows and removed with its session', async () => {
    const log = await openLog()
    for (const id of ['a', 'b']) await log.sessions.create(session(id))
    const state = { period: 1, counters: {}, processes: 2, reports: 1, compactions: 0, models: {} }
    expect(await log.ledger.checkpoint('a')).toBeUndefined()
    await log.ledger.put('a', [row('a', 'z', 1)], { seq: 3, state })
    await log.ledger.put('a', [row('a', 'y', 2)], { seq: 5, state })
    await log.ledger.put('a', [row('a', 'x', 3)])
    expect(await log.ledger.checkpoint('a')).toEqual({ seq: 5, state })
    expect(await log.ledger.list('a')).toHaveLength(3)
    expect(await log.ledger.checkpoint('b')).toBeUndefined()
    await log.sessions.remove('a')
    expect(await log.ledger.checkpoint('a')).toBeUndefined()
  })

  test('the usage of removed sessions is added up by project', async () => {
    const log = await openLog()
    const usage = (input: number, costUsd: number) => ({
      ...{ input, output: 1, cacheRead: 0, cacheWrite: 0, costUsd },
      provenance: { tokens: 'reported', cost: 'computed' } as const,
    })
    expect(await log.ledger.deletedUsage()).toEqual([])
    for (const id of ['a', 'b']) await log.sessions.create(session(id, { projectId: 'p' }))
    for (const id of ['c', 'd']) await log.sessions.create(session(id))
    await log.sessions.remove('a', usage(10, 0.5))
    await log.sessions.remove('b', usage(20, 0.25))
    await log.sessions.remove('c', usage(40, 1))
    await log.sessions.remove('d')
    const past = await log.ledger.deletedUsage()
    expect(past.find(({ projectId }) => projectId === 'p')).toMatchObject({
      usage: { input: 30, output: 2, costUsd: 0.75 },
    })
    expect(past.find(({ projectId }) => projectId === undefined)).toMatchObject({
      usage: { input: 40, costUsd: 1 },
    })
    expect(past).toHaveLength(2)
    await expect(log.sessions.remove('a', usage(1, 1))).rejects.toMatchObject({
      code: 'unknown_session',
    })
    expect(await log.ledger.deletedUsage()).toEqual(past)
  })

  test('an invalid row rejects the whole put', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    const put = log.ledger.put('a', [row('a', 'z', 1), row('a', '', 2)])
    await expect(put).rejects.toMatchObject({ code: 'invalid_record' })
    expect(await log.ledger.list('a')).toEqual([])
  })
}
