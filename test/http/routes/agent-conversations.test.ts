import { mkdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listingAgent } from '../../support/listing-rig.ts'
import { type LocalServer, readProblem, startLocalServer } from '../../support/local-server.ts'

let server: LocalServer
let projectId: string
let listed: LocalServer['client']['agents']['conversations']

const agent = (name: string, way: string) => ({
  name,
  title: 'Lister',
  command: [process.execPath, listingAgent, ...way.split(' ')],
})

beforeAll(async () => {
  server = await startLocalServer()
  const agents = [
    agent('lister', 'pages 2'),
    agent('odd', 'odd'),
    agent('none', 'none'),
    agent('dying', 'dies'),
    agent('no-resume', 'no-resume'),
  ]
  writeFileSync(join(server.root, 'data/agents.json'), JSON.stringify({ agents }))
  const { projectDirectory: path } = server
  projectId = (await server.client.projects.create({ name: 'p', path })).id
  listed = server.client.agents.conversations
})
afterAll(async () => {
  await server.close()
  server.remove()
})

const problemOf = (name: string, query = `projectId=${projectId}`, token?: string) =>
  readProblem(server.api(`/agents/${name}/conversations?${query}`, token ? { token } : {}))

const problemOfNew = (body: object) =>
  readProblem(server.api('/sessions', { method: 'POST', body: { projectId, ...body } }))

test('conversations of all pages are listed, the newest first', async () => {
  expect(await listed('lister', projectId)).toEqual({
    conversations: [4, 3, 2, 1].map((n) => ({
      id: `c${n}`,
      title: `Talk ${n}`,
      updatedAt: Date.UTC(2026, 0, n),
    })),
    hasMore: false,
    canContinue: true,
  })
})

test('a new session continues a conversation, and the list then names that session', async () => {
  const body = { projectId, agent: 'lister', conversationId: 'c2' }
  const { id, title } = await server.client.sessions.create(body)
  expect(title).toBe('Talk 2')
  await server.client.sessions.prompt(id, { text: 'Where are you?' })
  const texts: string[] = []
  for await (const event of server.client.sessions.stream(id, { after: 0 })) {
    if (event.type === 'message_end') texts.push(JSON.stringify(event.message))
    if (event.type === 'agent_end') break
  }
  expect(texts.some((each) => each.includes('I am in c2.'))).toBe(true)
  const { conversations } = await listed('lister', projectId)
  expect(conversations.flatMap((each) => each.sessionId ?? [])).toEqual([id])
  expect(conversations.find((each) => each.id === 'c2')?.sessionId).toBe(id)
  expect(await problemOfNew(body)).toMatchObject({ status: 409, code: 'conversation_in_use' })
})

test('a session does not show the agent’s own id of the conversation that it continues', async () => {
  const body = { projectId, agent: 'lister', conversationId: 'c4' }
  expect(JSON.stringify(await server.client.sessions.create(body))).not.toContain('c4"')
})

test('hostile titles are one plain line, and conversations of other directories are left out', async () => {
  const { conversations } = await listed('odd', projectId)
  expect(conversations.map(({ id }) => id)).toEqual(['hostile', 'long', 'bare', 'slash'])
  expect(conversations[0]?.title).toBe('a ]0;b c d')
})

test.each([
  ['none', 422, 'not_supported', 'Lister does not list its conversations.'],
  ['demo', 422, 'not_supported', 'Demo does not list its conversations.'],
  ['dying', 409, 'agent_failed', 'The database is locked.'],
  ['nobody', 422, 'agent_not_installed', 'There is no agent “nobody”.'],
])('the list of %s is refused with %d %s', async (name, status, code, detail) => {
  const problem = await problemOf(name)
  expect(problem).toMatchObject({ status, code, detail: expect.stringContaining(detail) })
})

test('a list needs a project, and a key that may start agents', async () => {
  expect(await problemOf('lister', '')).toMatchObject({ status: 422, code: 'invalid' })
  expect(await problemOf('lister', 'projectId=x')).toMatchObject({ code: 'unknown_project' })
  const { key } = await server.client.keys.create({ name: 'reads', scopes: ['read'] })
  expect(await problemOf('lister', undefined, key)).toMatchObject({ code: 'wrong_scope' })
})

test.each([
  [{ agent: 'lister', conversationId: 'c99' }, 404, 'unknown_conversation'],
  [{ agent: 'odd', conversationId: 'elsewhere' }, 404, 'unknown_conversation'],
  [{ agent: 'no-resume', conversationId: 'c1' }, 422, 'not_supported'],
  [{ agent: 'demo', conversationId: 'c1' }, 422, 'not_supported'],
  [{ agent: 'lister', conversationId: 'c1', worktree: true }, 422, 'invalid'],
  [{ agent: 'lister', conversationId: '' }, 422, 'invalid'],
])('a new session with %j is refused with %d %s', async (body, status, code) => {
  const before = (await server.client.sessions.list()).sessions.length
  expect(await problemOfNew(body)).toMatchObject({ status, code })
  expect((await server.client.sessions.list()).sessions).toHaveLength(before)
})

test('a project that became a link to a directory outside the roots is refused', async () => {
  const path = join(server.home, 'moved')
  mkdirSync(path)
  const { id } = await server.client.projects.create({ name: 'moved', path })
  rmdirSync(path)
  symlinkSync('/usr', path)
  expect(await problemOf('lister', `projectId=${id}`)).toMatchObject({ code: 'path_outside_roots' })
})
