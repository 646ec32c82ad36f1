import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditAction } from '../../../src/events/types.ts'
import { eventually } from '../../support/eventually.ts'
import { type LocalServer, startLocalServer } from '../../support/local-server.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(async () => {
  await server.close()
  server.remove()
})

const auditOf = async (action: AuditAction) => (await server.client.audit.list({ action })).entries

test('a budget is set, listed with what is used of it, changed and removed', async () => {
  const { budgets } = server.client
  const set = await budgets.set({ scope: 'day', limits: { costUsd: 20, tokens: 1_000_000 } })
  expect(set).toMatchObject({ id: 'day', onExceeded: 'ask', uses: [{ limit: 20 }, {}] })
  expect(await budgets.list()).toEqual([set])
  expect(await budgets.update('day', { limits: { costUsd: 30 } })).toMatchObject({
    limits: { costUsd: 30 },
    uses: [{ measure: 'costUsd', limit: 30, spent: 0 }],
  })
  await budgets.remove('day')
  expect(await budgets.list()).toEqual([])
  expect((await server.api('/budgets/day', { method: 'DELETE' })).status).toBe(404)
  expect(await auditOf('budget_set')).toMatchObject([
    { detail: 'day: $30.00, then ask' },
    { detail: 'day: $20.00, 1,000,000 tokens, then ask' },
  ])
  expect(await auditOf('budget_removed')).toHaveLength(1)
})

test.each([
  { scope: 'day', limits: {} },
  { scope: 'project', limits: { costUsd: 1 } },
  { scope: 'year', limits: { costUsd: 1 } },
  { scope: 'day', limits: { costUsd: -1 } },
  { scope: 'day', limits: { costUsd: 1e300 } },
])('%j is refused', async (body) => {
  expect((await server.api('/budgets', { method: 'POST', body })).status).toBe(422)
})

test('a budget of an unknown project is refused', async () => {
  const body = { scope: 'project', projectId: 'none', limits: { costUsd: 1 } }
  expect((await server.api('/budgets', { method: 'POST', body })).status).toBe(404)
})

test('a reached limit is an approval, which is answered with a raise', async () => {
  const { client } = server
  const { id } = await server.createDemoSession()
  const budget = { limits: { tokens: 1 } }
  const changed = await server.api(`/sessions/${id}`, { method: 'PATCH', body: { budget } })
  expect(await changed.json()).toMatchObject({ budget })
  await client.sessions.prompt(id, 'tool')
  const approval = await eventually(async () => {
    const found = (await client.approvals.list()).find(({ kind }) => kind === 'budget')
    expect(found).toMatchObject({ sessionId: id })
    return found ?? expect.unreachable()
  })
  expect(approval.budget).toMatchObject({ measure: 'tokens', limit: 1, scope: 'session' })
  const answer = (body: object) =>
    server.api(`/approvals/${approval.approvalId}`, { method: 'POST', body })
  expect((await answer({ action: 'deny', raise: 5 })).status).toBe(422)
  expect((await answer({ action: 'allow', raise: -5 })).status).toBe(422)
  const { hash } = approval
  expect((await answer({ action: 'allow', raise: 1_000_000, hash })).status).toBe(200)
  await eventually(async () =>
    expect(await client.sessions.get(id)).toMatchObject({
      budget: { limits: { tokens: 1_000_001 } },
    }),
  )
  expect(await auditOf('budget_raised')).toMatchObject([
    { sessionId: id, detail: 'session: from 1 tokens to 1,000,001 tokens', by: 'test' },
  ])
})

test('a key raises no limit that it may not, and lifts none', async () => {
  const { client } = server
  const { id, project } = await server.createDemoSession()
  const writer = await client.keys.create({ name: 'writer', scopes: ['read', 'prompt'] })
  const body = { budget: { limits: { tokens: 5 } } }
  const patched = await server.api(`/sessions/${id}`, { method: 'PATCH', body, token: writer.key })
  expect(patched.status).toBe(403)

  await client.budgets.set({ scope: 'day', limits: { tokens: 1 } })
  await client.sessions.prompt(id, 'tool')
  const approvalId = await eventually(async () => {
    const pending = await client.approvals.list({ sessionId: id })
    const found = pending.find(({ budget }) => budget?.scope === 'day')
    expect(found).toBeDefined()
    return found?.approvalId ?? expect.unreachable()
  })
  const { key } = await client.keys.create({
    name: 'restricted',
    scopes: ['read', 'approve'],
    projects: [project.id],
  })
  const answer = (action: string) =>
    server.api(`/approvals/${approvalId}`, { method: 'POST', body: { action }, token: key })
  expect((await answer('allow')).status).toBe(403)
  expect((await answer('deny')).status).toBe(200)
  const listed = await server.api('/budgets', { token: key })
  expect(await listed.json()).toEqual({ budgets: [] })
})
