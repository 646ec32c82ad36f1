import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, createClient } from '../../../src/client/client.ts'
import { eventually } from '../../support/eventually.ts'
import {
  type LocalServer,
  readProblem,
  startLocalServer,
  waitForRunEnd,
} from '../../support/local-server.ts'

let server: LocalServer
let phone: Client
let phoneId: string
beforeAll(async () => {
  server = await startLocalServer()
  const { key, id } = await server.client.keys.create({
    name: 'phone',
    scopes: ['read', 'prompt', 'approve', 'admin'],
  })
  phoneId = id
  phone = createClient({ url: server.url, token: key })
})
afterAll(async () => {
  await server.close()
  server.remove()
})

/** What was done to a session, oldest first. */
const actionsOn = async (sessionId: string) =>
  (await server.client.audit.list({ sessionId })).entries.reverse()

const nextApproval = async (id: string): Promise<string> => {
  for await (const event of server.client.sessions.stream(id)) {
    if (event.type === 'approval_request') return event.approvalId
    const [open] = event.type === 'snapshot' ? (event.approvals ?? []) : []
    if (open) return open.approvalId
  }
  throw new Error('there was no approval request')
}

test('what people do to a session is listed with name, address and time', async () => {
  const { id } = await server.createDemoSession()
  await phone.sessions.prompt(id, 'approve')
  await phone.approvals.answer(await nextApproval(id), { action: 'deny' })
  await waitForRunEnd(server, id)
  await phone.sessions.prompt(id, 'approve')
  await nextApproval(id)
  await phone.sessions.followUp(id, 'later')
  await phone.sessions.model(id, { model: 'demo-other' })
  await phone.sessions.abort(id)
  await phone.sessions.update(id, { name: 'Named' })
  await phone.sessions.remove(id)
  await phone.sessions.update(id, { removed: false })
  const found = await eventually(async () => {
    const entries = await actionsOn(id)
    expect(entries.length).toBeGreaterThan(9)
    return entries
  })
  expect(found.map(({ action, by }) => `${by} ${action}`).sort()).toEqual(
    [
      'test session_created',
      'phone abort',
      'phone approval_denied',
      'phone follow_up',
      'phone model_changed',
      'phone prompt',
      'phone prompt',
      'phone session_removed',
      'phone session_renamed',
      'phone session_restored',
    ].sort(),
  )
  expect(found.find(({ action }) => action === 'approval_denied')).toEqual({
    id: expect.any(Number),
    at: expect.any(Number),
    action: 'approval_denied',
    by: 'phone',
    actorKind: 'key',
    actorId: phoneId,
    address: expect.stringContaining('127.0.0.1'),
    sessionId: id,
    detail: expect.stringMatching(/^bash \(hash [0-9a-f]{12}\)$/),
  })
})

test('a refused command is not listed, and a long prompt is cut', async () => {
  const { id } = await server.createDemoSession()
  await phone.sessions.prompt(id, `approve ${'x'.repeat(300)}`)
  await nextApproval(id)
  await expect(phone.sessions.prompt(id, 'refused')).rejects.toMatchObject({ code: 'agent_busy' })
  await phone.sessions.abort(id)
  const entries = await eventually(async () => {
    const all = await actionsOn(id)
    expect(all.at(-1)).toMatchObject({ action: 'abort' })
    return all
  })
  expect(entries.map(({ action }) => action)).toEqual(['session_created', 'prompt', 'abort'])
  expect(entries[1]?.detail).toHaveLength(200)
  expect(entries[1]?.detail?.endsWith('…')).toBe(true)
})

test('messages, runs and stops carry the name of who caused them', async () => {
  const { id } = await server.createDemoSession()
  await phone.sessions.prompt(id, 'think')
  await waitForRunEnd(server, id)
  const head = (await server.client.sessions.events(id)).head
  await server.client.sessions.prompt(id, 'approve')
  await nextApproval(id)
  await phone.sessions.abort(id)
  await waitForRunEnd(server, id, head)
  const { events } = await server.client.sessions.events(id, { limit: 5000 })
  const authors = events.flatMap((event) =>
    event.type === 'message_end' && event.message.role === 'user' ? [event.message.by] : [],
  )
  expect(authors).toEqual(['phone', 'test'])
  expect(events.flatMap((event) => (event.type === 'agent_start' ? [event.by] : []))).toEqual([
    'phone',
    'test',
  ])
  expect(events.find((event) => 'status' in event && event.status === 'stopping')).toMatchObject({
    by: 'phone',
  })
  const { messages } = await server.client.sessions.messages(id)
  expect(messages.filter(({ role }) => role === 'user')).toMatchObject([
    { by: 'phone' },
    { by: 'test' },
  ])
})

test('keys and projects are listed, in pages, and only admins read the audit', async () => {
  const { id } = await server.client.keys.create({ name: 'short', scopes: ['read'] })
  await server.client.keys.revoke(id)
  const whole = await eventually(async () => {
    const { entries } = await phone.audit.list()
    expect(entries[0]).toMatchObject({ action: 'key_revoked' })
    return entries
  })
  expect(whole.find(({ action }) => action === 'key_revoked')?.detail).toContain(id)
  expect(whole.find(({ action }) => action === 'project_created')).toMatchObject({
    by: 'test',
    detail: server.projectDirectory,
  })
  const first = await phone.audit.list({ limit: 3 })
  const second = await phone.audit.list({ limit: 3, before: first.next })
  expect([...first.entries, ...second.entries]).toEqual(whole.slice(0, 6))
  expect((await phone.audit.list({ actor: 'phone', action: 'key_created' })).entries).toEqual([])

  const { key } = await server.client.keys.create({ name: 'r', scopes: ['read', 'prompt'] })
  expect(await readProblem(server.api('/audit', { token: key }))).toMatchObject({
    status: 403,
    needed: 'admin',
  })
})

test('failed sign-ins are listed, and a flood of them is cut', async () => {
  for (let time = 0; time < 60; time += 1)
    await server.api('/sessions', { token: `sluice_${'A'.repeat(43)}` })
  await server.api('/sessions', { token: null }) // ordinary: nobody has signed in yet
  const { key } = await server.client.keys.create({ name: 'after', scopes: ['read'] })
  expect(key).toBeDefined()
  const entries = await eventually(async () => {
    const page = await phone.audit.list({ limit: 500 })
    expect(page.entries[0]).toMatchObject({ action: 'key_created' })
    return page.entries
  })
  const failed = entries.filter(({ action }) => action === 'sign_in_failed')
  expect(failed[0]).toMatchObject({
    by: 'nobody',
    actorKind: 'nobody',
    address: expect.stringContaining('127.0.0.1'),
    detail: 'The token is not valid.',
  })
  // 20 in a minute; the clock may turn to the next one while this runs.
  expect(failed.length).toBeGreaterThanOrEqual(20)
  expect(failed.length).toBeLessThanOrEqual(40)
})
