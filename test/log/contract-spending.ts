import { expect, test } from 'vitest'
import type { StampedEvent } from '../../src/events/types.ts'
import { type Log, spendingStepMs } from '../../src/log/index.ts'
import { session, usageEvent } from './samples.ts'

const first = 100 * spendingStepMs
const second = 101 * spendingStepMs

const callEvent = (sessionId: string, seq: number, model: string): StampedEvent => ({
  ...{ type: 'message_end', sessionId, seq, timestamp: first, messageId: `m${seq}` },
  message: { role: 'assistant', model, usage: { input: 1 }, content: [] },
})

export const spendingContract = (openLog: () => Promise<Log>): void => {
  test('the sums of a session are its last usage, in the steps in which it grew', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    await log.append('a', [
      callEvent('a', 1, 'opus'),
      usageEvent('a', 2, first, { opus: { input: 10, output: 1, costUsd: 0.5 } }),
      callEvent('a', 3, 'opus'),
      usageEvent('a', 4, first + 5, { opus: { input: 30, output: 2, costUsd: 0.75 } }),
    ])
    const later = {
      opus: { input: 70, output: 5, costUsd: 2 },
      haiku: { cacheRead: 9, costUsd: 1 },
    }
    await log.append('a', [usageEvent('a', 5, second, later)])
    expect(await log.spending.total()).toMatchObject({
      ...{ input: 70, output: 5, cacheRead: 9, costUsd: 3, calls: 2, unpriced: [] },
      costBy: { reported: 3, computed: 0, estimated: 0 },
    })
    const rows = await log.spending.list({ by: ['step', 'model'] })
    expect(rows).toMatchObject([
      { step: first, model: 'opus', sums: { input: 30, costUsd: 0.75, calls: 2 } },
      { step: second, model: 'haiku', sums: { cacheRead: 9, costUsd: 1, calls: 0 } },
      { step: second, model: 'opus', sums: { input: 40, costUsd: 1.25 } },
    ])
    const [whole] = await log.spending.list({ by: ['session'] })
    expect(whole).toMatchObject({ sessionId: 'a', first, last: second })
  })

  test('an imported session adds nothing: it was spent elsewhere', async () => {
    const log = await openLog()
    await log.sessions.create(session('a', { imported: { at: 1 }, name: 'its name' }))
    await log.sessions.create(session('b', { name: '"imported":{' }))
    const usage = { opus: { input: 10, costUsd: 0.5 } }
    await log.append('a', [callEvent('a', 1, 'opus'), usageEvent('a', 2, first, usage)])
    expect(await log.spending.list({ by: [] })).toEqual([])
    await log.append('b', [usageEvent('b', 1, first, usage)])
    expect((await log.spending.total()).input).toBe(10)
  })

  test('a correction lowers the sums', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    await log.append('a', [usageEvent('a', 1, first, { opus: { input: 10, costUsd: 0.5 } })])
    await log.append('a', [usageEvent('a', 2, second, { sonnet: { input: 10, costUsd: 0.4 } })])
    expect((await log.spending.total()).costUsd).toBeCloseTo(0.4)
    const [opus, sonnet] = await log.spending.list({ by: ['model'] })
    expect(opus).toMatchObject({ model: 'opus', sums: { input: 0, costUsd: 0 } })
    expect(sonnet).toMatchObject({ model: 'sonnet', sums: { input: 10 } })
  })

  test('a range has the steps from its start to before its end', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    await log.append('a', [usageEvent('a', 1, first + 60_000, { opus: { input: 1, costUsd: 1 } })])
    await log.append('a', [usageEvent('a', 2, second, { opus: { input: 3, costUsd: 3 } })])
    const inputOf = async (since?: number, until?: number) =>
      (await log.spending.total({ since, until })).input
    expect(await inputOf(first + 300_000)).toBe(3)
    expect(await inputOf(second)).toBe(2)
    expect(await inputOf(undefined, second)).toBe(1)
    expect(await inputOf(second + spendingStepMs)).toBe(0)
    expect(await log.spending.list({ since: second + spendingStepMs, by: ['model'] })).toEqual([])
  })

  test('sums between bounds, and from when to when there is usage', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    expect(await log.spending.span()).toBeUndefined()
    const at = (step: number): number => first + step * spendingStepMs
    for (let step = 0; step < 6; step += 1) {
      const models = { opus: { costUsd: step + 1 }, own: { input: step + 1 } }
      await log.append('a', [usageEvent('a', step + 1, at(step), models)])
    }
    expect(await log.spending.span()).toEqual({ first, last: at(5) })
    const later = { since: at(2), until: at(4), sessionId: 'a' }
    expect(await log.spending.span(later)).toEqual({ first: at(2), last: at(3) })
    const bounds = [at(-4), at(-2), at(1), at(3), at(5)]
    const rows = await log.spending.list({ by: ['step'], bounds })
    expect(rows).toMatchObject([
      { step: at(-2), first, last: first, sums: { costUsd: 1, unpriced: ['own'] } },
      { step: at(1), first: at(1), last: at(2), sums: { costUsd: 2 } },
      { step: at(3), sums: { costUsd: 2 } },
    ])
    expect(rows).toHaveLength(3)
    expect(await log.spending.list({ by: ['step', 'model'], bounds, since: at(4) })).toMatchObject([
      { step: at(3), model: 'opus', sums: { costUsd: 1, unpriced: [] } },
      { step: at(3), model: 'own', sums: { input: 1, costUsd: null, unpriced: ['own'] } },
    ])
  })

  test('sums are separated by session, project and agent, and filtered by them', async () => {
    const log = await openLog()
    await log.sessions.create(session('a', { projectId: 'p' }))
    await log.sessions.create(session('b', { projectId: 'p', agent: 'claude' }))
    await log.sessions.create(session('c'))
    for (const [index, id] of ['a', 'b', 'c'].entries())
      await log.append(id, [usageEvent(id, 1, first, { opus: { costUsd: 10 ** index } })])
    expect(await log.spending.list({ by: ['project', 'agent'] })).toMatchObject([
      { projectId: '', agent: 'pi', sums: { costUsd: 100 } },
      { projectId: 'p', agent: 'claude', sums: { costUsd: 10 } },
      { projectId: 'p', agent: 'pi', sums: { costUsd: 1 } },
    ])
    const costOf = async (range: object) => (await log.spending.total(range)).costUsd
    expect(await costOf({ projectId: 'p' })).toBe(11)
    expect(await costOf({ sessionId: 'b', since: first })).toBe(10)
    expect(await costOf({ within: { projects: [], sessions: ['c'] } })).toBe(100)
    expect(await costOf({ within: { projects: ['p'], sessions: ['c'] } })).toBe(111)
    expect(await costOf({ within: { projects: [''], sessions: [] } })).toBeNull()
    expect(await log.spending.unfilled()).toBe(0)
  })

  test('a removed session stays in the sums, and a new one with its id adds to them', async () => {
    const log = await openLog()
    for (let time = 0; time < 2; time += 1) {
      await log.sessions.create(session('a', { projectId: 'p' }))
      await log.append('a', [usageEvent('a', 1, first, { opus: { costUsd: 2 } })])
      await log.sessions.remove('a')
    }
    expect(await log.spending.total({ projectId: 'p' })).toMatchObject({ costUsd: 4 })
  })

  test('a cost is as sure as the session’s, and becomes surer with it', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    const estimated = { tokens: 'reported', cost: 'estimated' } as const
    await log.append('a', [
      usageEvent('a', 1, first, { opus: { input: 5, costUsd: 1, provenance: estimated } }),
    ])
    const partsOf = async () => (await log.spending.total()).costBy
    expect(await partsOf()).toEqual({ reported: 0, computed: 0, estimated: 1 })
    await log.append('a', [usageEvent('a', 2, second, { opus: { input: 5, costUsd: 1.5 } })])
    expect(await partsOf()).toEqual({ reported: 1.5, computed: 0, estimated: 0 })
    expect((await log.spending.total({ until: second })).costBy.reported).toBe(1)
  })

  test('a model without a cost is unpriced, until its cost is known', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    await log.append('a', [usageEvent('a', 1, first, { new: { input: 5 }, old: { costUsd: 1 } })])
    expect(await log.spending.total()).toMatchObject({ costUsd: 1, unpriced: ['new'] })
    expect(await log.spending.list({ by: ['model'] })).toMatchObject([
      { model: 'new', sums: { input: 5, costUsd: null, unpriced: ['new'] } },
      { model: 'old', sums: { costUsd: 1, unpriced: [] } },
    ])
    const priced = { new: { input: 5, costUsd: 2 }, old: { costUsd: 1 } }
    await log.append('a', [usageEvent('a', 2, second, priced)])
    expect(await log.spending.total()).toMatchObject({ costUsd: 3, unpriced: [] })
  })

  test('a cost that was reported for no model is in the sums, too', async () => {
    const log = await openLog()
    for (const id of ['a', 'b']) await log.sessions.create(session(id))
    const reported = { provenance: { tokens: 'reported', cost: 'reported' } } as const
    const event = usageEvent('a', 1, first, { opus: { input: 5 } }, { costUsd: 2, ...reported })
    await log.append('a', [event])
    const models = { opus: { input: 5 }, haiku: { costUsd: 1 } }
    await log.append('b', [usageEvent('b', 1, first, models, { costUsd: 5, ...reported })])
    expect(await log.spending.total()).toMatchObject({ costUsd: 7, unpriced: [] })
    expect(await log.spending.list({ by: ['model'] })).toMatchObject([
      { model: '', sums: { costUsd: 4 } },
      { model: 'haiku', sums: { costUsd: 1 } },
      { model: 'opus', sums: { costUsd: 2 } },
    ])
  })
}
