import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { createClock } from './support/clock.ts'
import { openScriptedServer } from './support/scripted-server.ts'
import { until } from './support/until.ts'

const session = { id: 's', agent: 'pi', cwd: '/p', state: 'idle', createdAt: 1, updatedAt: 1 }
const result = { approvalId: 'a', sessionId: 's', action: 'allow', outcome: 'answered' }

describe('an ApiError', () => {
  const setup = async () => {
    const server = await openScriptedServer()
    const clock = createClock()
    const client = createClient({ url: server.url, ...clock.platform })
    return { server, clock, client, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
  }

  test('has the code and the fields of the problem, and when to retry', async () => {
    await using context = await setup()
    const failed = context.client.sessions.prompt('s', 'Hi').catch((cause: unknown) => cause)
    const request = await context.server.nextRequest()
    const problem = { type: 'x', title: 'x', status: 409, code: 'agent_busy', detail: 'It works.' }
    request.json({ ...problem, state: 'running' }, 409, { 'retry-after': '3' })
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
  ])('has the seconds of Retry-After: %s', async (header, seconds) => {
    await using server = await openScriptedServer()
    const now = () => Date.parse('Wed, 21 Oct 2015 07:28:00 GMT')
    const failed = createClient({ url: server.url, now })
      .sessions.get('s')
      .catch((cause: unknown) => cause)
    const request = await server.nextRequest()
    request.json({}, 503, { 'retry-after': header })
    expect(await failed).toMatchObject({ status: 503, code: 'http_503', retryAfter: seconds })
  })

  test('is thrown when the response lacks required fields', async () => {
    await using context = await setup()
    const failed = context.client.sessions.get('s').catch((cause: unknown) => cause)
    const request = await context.server.nextRequest()
    request.json({ id: 's' })
    expect(await failed).toMatchObject({ status: 0, code: 'bad_answer' })
  })

  test('is not thrown for the fields of a newer server', async () => {
    await using context = await setup()
    const got = context.client.sessions.get('s')
    const request = await context.server.nextRequest()
    request.json({ ...session, mood: 'fine' })
    expect(await got).toMatchObject(session)
  })

  test('is thrown when the connection breaks in the middle of a response', async () => {
    await using context = await setup()
    for (const call of [context.client.sessions.get, context.client.sessions.export]) {
      const failed = call('s').catch((cause: unknown) => cause)
      const request = await context.server.nextRequest()
      request.send('{')
      request.cut()
      expect(await failed).toMatchObject({ status: 0, code: 'unreachable' })
    }
  })

  test('is thrown when the server does not respond in time', async () => {
    await using context = await setup()
    const failed = context.client.health().catch((cause: unknown) => cause)
    const request = await context.server.nextRequest()
    context.clock.advance(30_000)
    expect(await failed).toMatchObject({ status: 0, code: 'timed_out' })
    await request.closed
  })

  test('is not thrown when a signal cancels the call: its own reason is', async () => {
    await using context = await setup()
    const closing = new AbortController()
    const failed = context.client.sessions
      .prompt('s', 'Hi', { signal: closing.signal })
      .catch((cause: unknown) => cause)
    await context.server.nextRequest()
    const reason = new Error('enough')
    closing.abort(reason)
    expect(await failed).toBe(reason)
    expect(context.clock.timeLeft()).toEqual([])
  })
})

describe('a call whose response was lost', () => {
  test('is sent again four times, with the same key', async () => {
    await using server = await openScriptedServer()
    const clock = createClock()
    const client = createClient({ url: server.url, ...clock.platform })
    const failed = client.sessions.prompt('s', 'Hi').catch((cause: unknown) => cause)
    const keys = new Set<unknown>()
    for (const pause of [300, 1500, 3000, 5000, undefined]) {
      const request = await server.nextRequest()
      keys.add(request.headers['idempotency-key'])
      request.cut()
      if (pause === undefined) break
      await until(() => clock.timeLeft().includes(pause))
      clock.advance(pause)
    }
    expect(await failed).toMatchObject({ code: 'unreachable' })
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)])
    expect(server.waitingRequests()).toBe(0)
  })

  test('succeeds when the second response arrives', async () => {
    await using server = await openScriptedServer()
    const clock = createClock()
    const client = createClient({ url: server.url, ...clock.platform })
    const done = client.approvals.answer('a', { action: 'allow' }, { idempotencyKey: 'mine' })
    const first = await server.nextRequest()
    first.json({}, 502)
    await until(() => clock.timeLeft().includes(300))
    clock.advance(300)
    const second = await server.nextRequest()
    expect(second.headers['idempotency-key']).toBe('mine')
    second.json(result)
    expect(await done).toEqual(result)
  })

  test('is sent again after a timeout', async () => {
    await using server = await openScriptedServer()
    const clock = createClock()
    const client = createClient({ url: server.url, ...clock.platform })
    const done = client.sessions.steer('s', 'Hi', { timeoutMs: 5000 })
    const first = await server.nextRequest()
    clock.advance(5000)
    await first.closed
    await until(() => clock.timeLeft().includes(300))
    clock.advance(300)
    const second = await server.nextRequest()
    expect(second.headers['idempotency-key']).toBe(first.headers['idempotency-key'])
    second.json({ sessionId: 's', outcome: 'accepted', seq: 4 })
    expect(await done).toEqual({ sessionId: 's', outcome: 'accepted', seq: 4 })
  })

  test('is not sent again when it has no key or was refused', async () => {
    await using server = await openScriptedServer()
    const { platform } = createClock()
    const client = createClient({ url: server.url, ...platform })
    const created = client.projects.create({ name: 'a', path: '/' }).catch(() => 'failed')
    const first = await server.nextRequest()
    first.cut()
    expect(await created).toBe('failed')
    const prompted = client.sessions.prompt('s', 'Hi').catch(() => 'refused')
    const second = await server.nextRequest()
    second.json({}, 500)
    expect(await prompted).toBe('refused')
    expect(server.waitingRequests()).toBe(0)
  })
})
