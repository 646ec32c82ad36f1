import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalServer, startLocalServer } from '../../support/local-server.ts'

// No agent is started here but the demo: it is enough that the program of Pi exists.
let server: LocalServer
let projectId: string
const before = process.env.PI_BIN

beforeAll(async () => {
  process.env.PI_BIN = process.execPath
  server = await startLocalServer()
  const { projectDirectory: path } = server
  projectId = (await server.client.projects.create({ name: 'p', path })).id
})
afterAll(async () => {
  process.env.PI_BIN = before
  await server.close()
  server.remove()
})

const problemOf = async (id: string, body: unknown = {}, token?: string) => {
  const sent = { method: 'POST', body, ...(token !== undefined && { token }) }
  const reply = await server.api(`/sessions/${id}/fork`, sent)
  const { code, detail } = JSON.parse(await reply.text())
  return { status: reply.status, code, detail }
}

test('an agent that cannot fork is refused', async () => {
  const { id } = await server.createDemoSession()
  expect(await problemOf(id)).toMatchObject({
    status: 422,
    code: 'not_supported',
    detail: expect.stringContaining('cannot continue a copy of a conversation'),
  })
})

test('a session without a conversation is refused, and nothing is created', async () => {
  const { id } = await server.client.sessions.create({ projectId, agent: 'pi' })
  const { sessions } = await server.client.sessions.list()
  expect(await problemOf(id)).toMatchObject({
    status: 409,
    code: 'no_conversation',
    detail: expect.stringContaining('Send it a prompt first'),
  })
  expect((await server.client.sessions.list()).sessions).toEqual(sessions)
})

test('a copy that ends before a message needs that message, and an agent that can do it', async () => {
  const { id } = await server.client.sessions.create({ projectId, agent: 'pi' })
  const beforeMessage = 'nobody'
  expect(await problemOf(id, { beforeMessage })).toMatchObject({
    status: 409,
    code: 'no_fork_point',
    detail: 'The session has no message nobody.',
  })
  expect(await problemOf(id, { beforeMessage: '' })).toMatchObject({ status: 422 })
  const demo = await server.createDemoSession()
  expect(await problemOf(demo.id, { beforeMessage })).toMatchObject({
    status: 422,
    code: 'not_supported',
    detail: expect.stringContaining('cannot continue from an earlier message'),
  })
})

test('files are restored only by agents that can, for a key that approves', async () => {
  const { id } = await server.createDemoSession()
  const { key } = await server.client.keys.create({ name: 'prompts', scopes: ['prompt'] })
  const body = { beforeMessage: 'm', dryRun: true }
  const rewind = async (token?: string) => {
    const sent = { method: 'POST', body, ...(token !== undefined && { token }) }
    const reply = await server.api(`/sessions/${id}/rewind`, sent)
    return { status: reply.status, ...JSON.parse(await reply.text()) }
  }
  expect(await rewind()).toMatchObject({
    status: 422,
    code: 'not_supported',
    detail: expect.stringContaining('does not support restoring files'),
  })
  expect(await rewind(key)).toMatchObject({ status: 403, code: 'wrong_scope' })
})

test('the forks of a session can be listed', async () => {
  const { sessions } = await server.client.sessions.list({ forkedFrom: 'nobody' })
  expect(sessions).toEqual([])
})

test('no session, a removed one, a wrong body and a key that only reads are refused', async () => {
  const { id } = await server.client.sessions.create({ projectId, agent: 'pi' })
  const { key } = await server.client.keys.create({ name: 'reads', scopes: ['read'] })
  expect(await problemOf(id, {}, key)).toMatchObject({ status: 403, code: 'wrong_scope' })
  expect(await problemOf(id, { name: '' })).toMatchObject({ status: 422, code: 'invalid' })
  expect(await problemOf(id, { agent: 'demo' })).toMatchObject({ status: 422, code: 'invalid' })
  expect(await problemOf('nobody')).toMatchObject({ status: 404, code: 'unknown_session' })
  await server.client.sessions.remove(id)
  expect(await problemOf(id)).toMatchObject({ status: 410, code: 'gone' })
})
