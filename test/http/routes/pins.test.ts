import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { type LocalServer, readProblem, startLocalServer } from '../../support/local-server.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(async () => {
  await server.close()
  server.remove()
})

test('a session is pinned and unpinned, and the audit says who did it', async () => {
  const { id } = await server.createDemoSession()
  expect(await server.client.sessions.update(id, { pinned: true })).toMatchObject({ pinned: true })
  await server.client.sessions.update(id, { pinned: true, name: 'Still pinned' })
  expect(await server.client.sessions.get(id)).toMatchObject({ pinned: true, name: 'Still pinned' })
  const { sessions } = await server.client.sessions.list()
  expect(sessions.find((each) => each.id === id)).toMatchObject({ pinned: true })
  await server.client.sessions.update(id, { pinned: false })
  expect(await server.client.sessions.get(id)).not.toHaveProperty('pinned')
  await eventually(async () => {
    const { entries } = await server.client.audit.list({ sessionId: id })
    const pins = entries.map(({ action }) => action).filter((action) => action.includes('pinned'))
    expect(pins).toEqual(['session_unpinned', 'session_pinned'])
  })
})

test('a pin that is not true or false is refused', async () => {
  const { id } = await server.createDemoSession()
  const sent = server.api(`/sessions/${id}`, { method: 'PATCH', body: { pinned: 'yes' } })
  expect(await readProblem(sent)).toMatchObject({ status: 422, code: 'invalid' })
})
