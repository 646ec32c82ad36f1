import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { createClock } from './support/clock.ts'
import { openServer } from './support/server.ts'
import { until } from './support/until.ts'

const session = { id: 's', agent: 'pi', cwd: '/p', state: 'idle', createdAt: 1, updatedAt: 1 }
const answered = { approvalId: 'a', sessionId: 's', action: 'allow', outcome: 'answered' }

describe('what goes wrong is an ApiError', () => {
  const setup = async () => {
    const server = await openServer()
    const clock = createClock()
    const client = createClient({ url: server.url, ...clock.platform })
    return { server, clock, client, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
  }

  test('a problem, with its code, its fields and when to try again', async () => {
    await using world = await setup()
    const failed = world.client.sessions.prompt('s', 'Hi').catch((cause: unknown) => cause)
    const visit = await world.server.visit()
    const problem = { type: 'x', title: 'x', status: 409, code: 'agent_busy', detail: 'It works.' }
    visit.json({ ...problem, state: 'running' }, 409, { 'retry-after': '3' })
    expect(await failed).toMatchObject({
      name: 'ApiError',
      message: 'It works.',
      status: 409,
      code: 'agent_busy',
      detail: 'It works.',
      retryAfter: 3,
      problem: { ...problem, state: 'running' },
    })
  })

  test.each([
    ['Wed, 21 Oct 2015 07:28:10 GMT', 10],
    ['Wed, 21 Oct 2015 07:27:00 GMT', 0],
    ['soon', undefined],
  ])('Retry-After: %s', async (said, seconds) => {
    await using server = await openServer()
    const now = () => Date.parse('Wed, 21 Oct 2015 07:28:00 GMT')
    const failed = createClient({ url: server.url, now })
      .health()
      .catch((cause: unknown) => cause)
    const visit = await server.visit()
    visit.json({}, 503, { 'retry-after': said })
    expect(await failed).toMatchObject({ status: 503, code: 'http_503', retryAfter: seconds })
  })

  test('an answer that is not what was promised', async () => {
    await using world = await setup()
    const failed = world.client.sessions.get('s').catch((cause: unknown) => cause)
    const visit = await world.server.visit()
    visit.json({ id: 's' })
    expect(await failed).toMatchObject({ status: 0, code: 'bad_answer' })
  })

  test('fields of a newer server do no harm', async () => {
    await using world = await setup()
    const got = world.client.sessions.get('s')
    const visit = await world.server.visit()
    visit.json({ ...session, mood: 'fine' })
    expect(await got).toMatchObject(session)
  })

  test('an answer that breaks off', async () => {
    await using world = await setup()
    for (const ask of [world.client.sessions.get, world.client.sessions.export]) {
      const failed = ask('s').catch((cause: unknown) => cause)
      const visit = await world.server.visit()
      visit.send('{')
      visit.cut()
      expect(await failed).toMatchObject({ status: 0, code: 'unreachable' })
    }
  })

  test('no answer in time', async () => {
    await using world = await setup()
    const failed = world.client.health().catch((cause: unknown) => cause)
    const visit = await world.server.visit()
    world.clock.advance(30_000)
    expect(await failed).toMatchObject({ status: 0, code: 'timed_out' })
    await visit.closed
  })

  test('but the signal’s own reason, where that ended it', async () => {
    await using world = await setup()
    const closing = new AbortController()
    const failed = world.client.sessions
      .prompt('s', 'Hi', { signal: closing.signal })
      .catch((cause: unknown) => cause)
    await world.server.visit()
    const reason = new Error('enough')
    closing.abort(reason)
    expect(await failed).toBe(reason)
    expect(world.clock.left()).toEqual([])
  })
})

describe('a call whose answer was lost', () => {
  test('is sent again with the same key, and no more than twice', async () => {
    await using server = await openServer()
    const clock = createClock()
    const client = createClient({ url: server.url, ...clock.platform })
    const failed = client.sessions.prompt('s', 'Hi').catch((cause: unknown) => cause)
    const keys = new Set<unknown>()
    for (const pause of [300, 1500, undefined]) {
      const visit = await server.visit()
      keys.add(visit.headers['idempotency-key'])
      visit.cut()
      if (pause === undefined) break
      await until(() => clock.left().includes(pause))
      clock.advance(pause)
    }
    expect(await failed).toMatchObject({ code: 'unreachable' })
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)])
    expect(server.unseen()).toBe(0)
  })

  test('has done what it should by the second time', async () => {
    await using server = await openServer()
    const clock = createClock()
    const client = createClient({ url: server.url, ...clock.platform })
    const done = client.approvals.answer('a', { action: 'allow' }, { idempotencyKey: 'mine' })
    const first = await server.visit()
    first.json({}, 502)
    await until(() => clock.left().includes(300))
    clock.advance(300)
    const second = await server.visit()
    expect(second.headers['idempotency-key']).toBe('mine')
    second.json(answered)
    expect(await done).toEqual(answered)
  })

  test('may only have been slow', async () => {
    await using server = await openServer()
    const clock = createClock()
    const client = createClient({ url: server.url, ...clock.platform })
    const done = client.sessions.steer('s', 'Hi', { timeoutMs: 5000 })
    const first = await server.visit()
    clock.advance(5000)
    await first.closed
    await until(() => clock.left().includes(300))
    clock.advance(300)
    const second = await server.visit()
    expect(second.headers['idempotency-key']).toBe(first.headers['idempotency-key'])
    second.json({ sessionId: 's', outcome: 'accepted', seq: 4 })
    expect(await done).toEqual({ sessionId: 's', outcome: 'accepted', seq: 4 })
  })

  test('is not sent again if it has no key, or was refused', async () => {
    await using server = await openServer()
    const { platform } = createClock()
    const client = createClient({ url: server.url, ...platform })
    const created = client.projects.create({ name: 'a', path: '/' }).catch(() => 'failed')
    const first = await server.visit()
    first.cut()
    expect(await created).toBe('failed')
    const prompted = client.sessions.prompt('s', 'Hi').catch(() => 'refused')
    const second = await server.visit()
    second.json({}, 500)
    expect(await prompted).toBe('refused')
    expect(server.unseen()).toBe(0)
  })
})
