import { describe, expect, test } from 'vitest'
import { createIdempotency } from '../../../src/http/idempotency.ts'
import { Problem } from '../../../src/shared/problem.ts'

describe('an attempt that may come twice', () => {
  const attempt = { owner: 'k', route: 'POST /x', key: 'a', body: '{}' }
  const counting = () => {
    let runs = 0
    return {
      run: async () => {
        runs += 1
        return runs
      },
      runs: () => runs,
    }
  }

  test('happens once, also while the first is under way', async () => {
    const once = createIdempotency<number>()
    const { promise, resolve } = Promise.withResolvers<number>()
    const first = once.once(attempt, () => promise)
    const second = once.once(attempt, () => expect.unreachable())
    resolve(1)
    expect(await first).toEqual({ answer: 1, isRepeated: false })
    expect(await second).toEqual({ answer: 1, isRepeated: true })
  })

  test('is another one for another caller, path or key', async () => {
    const once = createIdempotency<number>()
    const { run, runs } = counting()
    for (const other of [{}, { owner: 'l' }, { route: 'POST /y' }, { key: 'b' }])
      await once.once({ ...attempt, ...other }, run)
    expect(runs()).toBe(4)
  })

  test('with another body is refused', async () => {
    const once = createIdempotency<number>()
    await once.once(attempt, counting().run)
    await expect(once.once({ ...attempt, body: '[]' }, counting().run)).rejects.toMatchObject({
      status: 422,
      code: 'idempotency_mismatch',
    })
  })

  test('that was refused is tried anew', async () => {
    const once = createIdempotency<number>()
    const refuse = async () => {
      throw new Problem(409, 'agent_busy', 'busy')
    }
    const both = [once.once(attempt, refuse), once.once(attempt, () => expect.unreachable())]
    for (const each of both) await expect(each).rejects.toThrow('busy')
    expect(await once.once(attempt, counting().run)).toEqual({ answer: 1, isRepeated: false })
  })

  test('is forgotten in time, and when there are too many', async () => {
    let time = 0
    const once = createIdempotency<number>({ now: () => time, keepMs: 1000, limit: 3 })
    const { run, runs } = counting()
    await once.once(attempt, run)
    time = 999
    await once.once(attempt, run)
    expect(runs()).toBe(1)
    time = 1000
    await once.once(attempt, run)
    expect(runs()).toBe(2)
    for (const key of ['b', 'c', 'd', 'e', 'f']) await once.once({ ...attempt, key }, run)
    expect(once.size()).toBeLessThanOrEqual(4)
  })
})
