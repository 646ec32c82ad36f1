import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type LocalServer,
  readProblem,
  startLocalServer,
  waitForRunEnd,
} from '../../support/local-server.ts'

/** Runs of the demo agent over a real port. */
describe('runs', () => {
  let server: LocalServer
  beforeAll(async () => {
    server = await startLocalServer()
  })
  afterAll(async () => {
    await server.close()
    server.remove()
  })

  const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.api(path, { method: 'POST', headers, ...(body !== undefined && { body }) })

  const runEnd = (id: string, after?: number) => waitForRunEnd(server, id, after)

  describe('a run', () => {
    test('stays whole after a compaction, for late readers, the export and the search', async () => {
      const { id } = await server.createDemoSession()
      const { sessions } = server.client
      for (const text of ['think of a haystack', 'parallel']) {
        const { seq } = await sessions.prompt(id, text)
        await runEnd(id, seq)
      }
      const before = await sessions.messages(id)
      await sessions.compact(id)
      await expect
        .poll(async () => (await sessions.messages(id)).messages.at(-1)?.role)
        .toBe('compactionSummary')

      const { messages } = await sessions.messages(id)
      const marked = before.messages.map((message) => ({ ...message, outOfContext: true }))
      expect(messages.slice(0, -1)).toEqual(marked)
      const { seq } = await sessions.prompt(id, 'think again')
      await runEnd(id, seq)
      const { messages: seen } = await sessions.messages(id, { view: 'model' })
      expect(seen.map(({ role }) => role)).toEqual(['compactionSummary', 'user', 'assistant'])
      const reader = new AbortController()
      for await (const event of sessions.stream(id, { signal: reader.signal })) {
        const { messages: all } = await sessions.messages(id)
        expect(event).toMatchObject({ type: 'snapshot', messages: all })
        reader.abort()
      }
      const page = await (await sessions.export(id, 'markdown')).text()
      expect(page).toMatch(
        /## User\n\nthink of a haystack.+## Context compacted\n\n\*From here on/s,
      )
      const { hits } = await server.client.search('haystack')
      expect(hits).toMatchObject([{ sessionId: id, excerpt: 'think of a haystack' }])
      await expect(sessions.messages(id, JSON.parse('{"view":"other"}'))).rejects.toMatchObject({
        status: 422,
      })
    })

    test('produces messages, events, context, usage and two exports', async () => {
      const { id } = await server.createDemoSession()
      expect((await post(`/sessions/${id}/prompt`, { text: 'think' })).status).toBe(202)
      await runEnd(id)
      const { sessions } = server.client
      const { messages, seq } = await sessions.messages(id)
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])

      const whole = await sessions.events(id)
      expect(whole.head).toBe(seq)
      expect(whole.events.map((event) => event.seq)).toEqual(whole.events.map((_, at) => at + 1))
      const first = await sessions.events(id, { limit: 2 })
      expect(first).toMatchObject({
        next: expect.stringMatching(/^2-[\da-f]{8}$/),
        head: whole.head,
      })
      const rest = await sessions.events(id, { after: first.next })
      expect([...first.events, ...rest.events]).toEqual(whole.events)
      expect(rest.next).toBeUndefined()
      expect(rest.cursor).toBe(whole.cursor)
      expect((await sessions.events(id, { after: rest.cursor })).cursor).toBe(whole.cursor)

      const beyond = await sessions.events(id, { after: 999_999_999 })
      expect(beyond).toEqual({ events: [], head: whole.head, cursor: '0', gap: true })
      for (const after of ['-1', '1.5', 'x', '1e3', '9'.repeat(20), '2-xyz', ''])
        await expect(sessions.events(id, { after })).rejects.toMatchObject({ status: 422 })

      expect(await sessions.context(id)).toMatchObject({ context: { used: expect.any(Number) } })
      const usage = await sessions.usage(id)
      expect(usage.turns).toHaveLength(1)
      expect(usage.turns[0]?.totals.output).toBe(usage.totals.output)
      expect(usage.totals.output).toBeGreaterThan(0)
      expect(usage.entries).not.toEqual([])

      const lines = (await (await sessions.export(id)).text()).trimEnd().split('\n')
      expect(lines.map((line): unknown => JSON.parse(line))).toEqual(whole.events)
      const page = await (await sessions.export(id, 'markdown')).text()
      expect(page).toContain('## User\n\nthink')
      expect(page).toContain('## Assistant')
    })

    test('refuses another prompt until it ends', async () => {
      const { id } = await server.createDemoSession()
      await server.client.sessions.prompt(id, 'approve')
      expect(await readProblem(post(`/sessions/${id}/prompt`, { text: 'more' }))).toMatchObject({
        status: 409,
        code: 'agent_busy',
        state: 'running',
      })
      expect(await readProblem(post(`/sessions/${id}/compact`))).toMatchObject({ status: 409 })
      expect((await post(`/sessions/${id}/abort`)).status).toBe(202)
      await runEnd(id)
    })

    test('accepts follow-ups and another model', async () => {
      const { id } = await server.createDemoSession()
      const { sessions } = server.client
      await sessions.prompt(id, 'approve')
      await sessions.followUp(id, 'think')
      await sessions.model(id, { model: 'demo-other' })
      await sessions.abort(id)
      await runEnd(id)
      expect(await readProblem(post(`/sessions/${id}/model`, {}))).toMatchObject({ status: 422 })
    })

    test('the response to a prompt has the seq where the run starts', async () => {
      const { id } = await server.createDemoSession()
      const { sessions } = server.client
      for (const text of ['think', 'parallel']) {
        const { seq } = await sessions.prompt(id, text)
        await runEnd(id, seq)
        const { events } = await sessions.events(id, { after: seq })
        const types = events.map(({ type }) => type)
        expect(types.filter((type) => type === 'agent_start')).toHaveLength(1)
        expect(types.filter((type) => type === 'agent_end')).toHaveLength(1)
      }
    })

    test('lists the models used before when the agent lists none', async () => {
      const { id } = await server.createDemoSession()
      const { sessions } = server.client
      const { seq } = await sessions.prompt(id, 'think')
      await runEnd(id, seq)
      const { models, ...rest } = await sessions.models(id)
      expect(models).toContain('demo-script')
      expect(rest).toEqual({ sessionId: id, isComplete: false })
      expect(await readProblem(server.api('/sessions/none/models'))).toMatchObject({ status: 404 })
    })

    test('abort without a run does nothing', async () => {
      const { id } = await server.createDemoSession()
      expect((await post(`/sessions/${id}/abort`)).status).toBe(202)
    })
  })

  describe('approvals', () => {
    const createApproval = async () => {
      const { id } = await server.createDemoSession()
      await server.client.sessions.prompt(id, 'approve')
      for await (const event of server.client.sessions.stream(id)) {
        if (event.type === 'approval_request') return { id, approvalId: event.approvalId }
        const [open] = event.type === 'snapshot' ? (event.approvals ?? []) : []
        if (open) return { id, approvalId: open.approvalId }
      }
      throw new Error('there was no approval request')
    }

    test('are listed, and decided once', async () => {
      const { id, approvalId } = await createApproval()
      const [waiting] = await server.client.approvals.list({ sessionId: id })
      expect(waiting).toMatchObject({ approvalId, toolName: 'bash' })
      expect(waiting).not.toHaveProperty('deadline')
      const answer = await post(`/approvals/${approvalId}`, { action: 'allow' })
      expect(await answer.json()).toEqual({
        approvalId,
        sessionId: id,
        action: 'allow',
        outcome: 'answered',
      })
      expect(await readProblem(post(`/approvals/${approvalId}`, { action: 'deny' }))).toMatchObject(
        {
          status: 409,
          code: 'approval_resolved',
          state: 'answered',
        },
      )
      await runEnd(id)
      expect(await server.client.approvals.list({ sessionId: id })).toEqual([])
    })

    test('are answered by the hash that was shown', async () => {
      const { id, approvalId } = await createApproval()
      const { id: otherId } = await createApproval()
      const [waiting] = await server.client.approvals.list({ sessionId: id })
      const [other] = await server.client.approvals.list({ sessionId: otherId })
      const answer = (hash = '') => post(`/approvals/${approvalId}`, { action: 'allow', hash })
      expect(await readProblem(answer(other?.hash))).toMatchObject({
        status: 409,
        code: 'approval_changed',
      })
      expect((await server.client.approvals.list({ sessionId: id })).length).toBe(1)
      expect((await answer(waiting?.hash)).status).toBe(200)
      await runEnd(id)
    })

    test('are gone after their run, and unknown when they never existed', async () => {
      const { id, approvalId } = await createApproval()
      await server.client.sessions.abort(id)
      await runEnd(id)
      expect(
        await readProblem(post(`/approvals/${approvalId}`, { action: 'allow' })),
      ).toMatchObject({
        status: 410,
        code: 'gone',
        state: 'cancelled',
      })
      expect(await readProblem(post('/approvals/none', { action: 'allow' }))).toMatchObject({
        status: 404,
        code: 'unknown_approval',
      })
    })
  })

  describe('Idempotency-Key', () => {
    test('a prompt that is sent twice runs once', async () => {
      const { id } = await server.createDemoSession()
      const key = { 'idempotency-key': 'prompt-1' }
      const both = await Promise.all(
        [1, 2].map(() => post(`/sessions/${id}/prompt`, { text: 'think' }, key)),
      )
      expect(both.map(({ status }) => status)).toEqual([202, 202])
      await runEnd(id)
      const later = await post(`/sessions/${id}/prompt`, { text: 'think' }, key)
      expect(later.status).toBe(202)
      expect(later.headers.get('idempotency-replayed')).toBe('true')
      const { messages } = await server.client.sessions.messages(id)
      expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1)
    })

    test('is refused with another body, and separate for another path', async () => {
      const { id } = await server.createDemoSession()
      const key = { 'idempotency-key': 'prompt-2' }
      await post(`/sessions/${id}/prompt`, { text: 'think' }, key)
      const refused = post(`/sessions/${id}/prompt`, { text: 'parallel' }, key)
      expect(await readProblem(refused)).toMatchObject({
        status: 422,
        code: 'idempotency_mismatch',
      })
      const other = await server.createDemoSession()
      const there = await post(`/sessions/${other.id}/prompt`, { text: 'parallel' }, key)
      expect(there.status).toBe(202)
      expect(there.headers.get('idempotency-replayed')).toBeNull()
      await Promise.all([runEnd(id), runEnd(other.id)])
    })
  })
})
