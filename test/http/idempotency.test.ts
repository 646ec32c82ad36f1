import { describe, expect, test } from 'vitest'
import { createIdempotency } from '../../src/http/idempotency.ts'
import { Problem } from '../../src/shared/problem.ts'

describe('a request with an Idempotency-Key', () => {
  const request = { owner: 'k', route: 'POST /x', key: 'a', body: '{}' }
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

  test('runs once, even while the first is running', async () => {
    const idempotency = createIdempotency<number>()
    const { promise, resolve } = Promise.withResolvers<number>()
    const first = idempotency.once(request, () => promise)
    const second = idempotency.once(request, () => expect.unreachable())
    resolve(1)
    expect(await first).toEqual({ response: 1, isRepeated: false })
    expect(await second).toEqual({ response: 1, isRepeated: true })
  })

  test('runs again for another caller, path or key', async () => {
    const idempotency = createIdempotency<number>()
    const { run, runs } = counting()
    for (const other of [{}, { owner: 'l' }, { route: 'POST /y' }, { key: 'b' }])
      await idempotency.once({ ...request, ...other }, run)
    expect(runs()).toBe(4)
  })

  test('is refused when its body differs', async () => {
    const idempotency = createIdempotency<number>()
    await idempotency.once(request, counting().run)
    await expect(
      idempotency.once({ ...request, body: '[]' }, counting().run),
    ).rejects.toMatchObject({
      status: 422,
      code: 'idempotency_mismatch',
    })
  })

  test('runs again when the first was refused', async () => {
    const idempotency = createIdempotency<number>()
    const refuse = async () => {
      throw new Problem(409, 'agent_busy', 'busy')
    }
    const both = [
      idempotency.once(request, refuse),
      idempotency.once(request, () => expect.unreachable()),
    ]
    for (const each of both) await expect(each).rejects.toThrow('busy')
    expect(await idempotency.once(request, counting().run)).toEqual({
      response: 1,
      isRepeated: false,
    })
  })

  test('is forgotten after a while, and when there are too many', async () => {
    let time = 0
    const idempotency = createIdempotency<number>({ now: () => time, keepMs: 1000, limit: 3 })
    const { run, runs } = counting()
    await idempotency.once(request, run)
    time = 999
    await idempotency.once(request, run)
    expect(runs()).toBe(1)
    time = 1000
    await idempotency.once(request, run)
    expect(runs()).toBe(2)
    for (const key of ['b', 'c', 'd', 'e', 'f']) await idempotency.once({ ...request, key }, run)
    expect(idempotency.size()).toBeLessThanOrEqual(4)
  })
})
