import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { type LocalServer, readProblem, startLocalServer } from '../../support/local-server.ts'

let server: LocalServer
let projectId: string
const before = process.env.CLAUDE_BIN

beforeAll(async () => {
  // Its sessions are enough: the agent itself ends at once.
  process.env.CLAUDE_BIN = '/bin/false'
  server = await startLocalServer()
  const { projectDirectory: path } = server
  projectId = (await server.client.projects.create({ name: 'p', path })).id
})
afterAll(async () => {
  process.env.CLAUDE_BIN = before
  await server.close()
  server.remove()
})

const post = (start: object, token?: string, agent = 'claude') =>
  server.api('/loops', {
    ...{ method: 'POST', body: { projectId, agent, prompt: 'go', start } },
    ...(token !== undefined && { token }),
  })

test('the agent of each iteration starts with the options, and readers see no secrets', async () => {
  const { client } = server
  const { id } = await client.loops.create({
    ...{ projectId, agent: 'claude', prompt: 'go', limits: { maxFailures: 1 } },
    start: {
      ...{ mode: 'plan', thinkingLevel: 'high', appendSystemPrompt: 'my-text' },
      mcpServers: { files: { command: 'files', env: { TOKEN: 'my-secret' } } },
    },
  })
  const shown = {
    ...{ mode: 'plan', thinkingLevel: 'high', systemPrompt: 'extended', mcpServers: ['files'] },
  }
  const loop = await eventually(async () => {
    const read = await client.loops.get(id)
    expect(read.iterations).not.toEqual([])
    return read
  })
  expect(loop.start).toEqual(shown)
  const { start } = await client.sessions.get(loop.iterations[0]?.sessionId ?? '')
  expect(start).toEqual(shown)
  for (const path of ['/loops', `/loops/${id}`, '/audit'])
    expect(await (await server.api(path)).text()).not.toMatch(/my-text|my-secret/)
})

test('options that the agent does not have, and those that need more rights, are refused', async () => {
  const { client } = server
  const ids = async () => (await client.loops.list()).map(({ id }) => id)
  const all = await ids()
  expect(await readProblem(post({ mode: 'plan' }, undefined, 'demo'))).toMatchObject({
    status: 422,
    code: 'not_supported',
  })
  expect(await readProblem(post({ mode: 'yolo' }))).toMatchObject({ code: 'not_supported' })
  const { key } = await client.keys.create({ name: 'prompts', scopes: ['read', 'prompt'] })
  const refused = { status: 403, code: 'wrong_scope' }
  expect(await readProblem(post({ mode: 'plan' }, key))).toMatchObject(refused)
  expect(await readProblem(post({ allowedTools: ['Bash'] }, key))).toMatchObject(refused)
  const servers = { mcpServers: { a: { command: 'a' } } }
  expect(await readProblem(post(servers, key))).toMatchObject(refused)
  expect(await readProblem(post({ directories: ['/etc'] }))).toMatchObject({
    code: 'path_outside_roots',
  })
  expect(await ids()).toEqual(all)
})
