import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SessionInfo } from '../../../src/api/types.ts'
import type { StartOptions } from '../../../src/events/types.ts'
import { type LocalServer, startLocalServer } from '../../support/local-server.ts'

// No agent is started here: it is enough that the program exists.
let server: LocalServer
let projectId: string
const before = process.env.CLAUDE_BIN

beforeAll(async () => {
  process.env.CLAUDE_BIN = process.execPath
  server = await startLocalServer()
  const { projectDirectory: path } = server
  projectId = (await server.client.projects.create({ name: 'p', path })).id
})
afterAll(async () => {
  process.env.CLAUDE_BIN = before
  await server.close()
  server.remove()
})

const create = (start: StartOptions, more: object = {}, token?: string) =>
  server.api('/sessions', {
    method: 'POST',
    body: { projectId, agent: 'claude', start, ...more },
    ...(token !== undefined && { token }),
  })
const createdBy = async (response: Promise<Response>): Promise<SessionInfo> => {
  const reply = await response
  expect(reply.status).toBe(201)
  return JSON.parse(await reply.text())
}
const problemOf = async (response: Promise<Response>) => {
  const reply = await response
  const { code, detail } = JSON.parse(await reply.text())
  return { status: reply.status, code, detail }
}
const keyWith = async (scopes: ('read' | 'prompt' | 'approve' | 'admin')[], more: object = {}) =>
  (await server.client.keys.create({ name: scopes.join(), scopes, ...more })).key

test('a session shows how its agent starts, without texts and secrets', async () => {
  const session = await createdBy(
    create({
      mode: 'plan',
      thinkingLevel: 'high',
      appendSystemPrompt: 'my-text',
      mcpServers: { files: { command: 'files', env: { TOKEN: 'my-secret' } } },
    }),
  )
  const { start, permissionMode } = await server.client.sessions.get(session.id)
  expect(start).toEqual({
    mode: 'plan',
    thinkingLevel: 'high',
    systemPrompt: 'extended',
    mcpServers: ['files'],
  })
  expect(permissionMode).toBe('plan')
  for (const path of [
    '/sessions',
    `/sessions/${session.id}`,
    '/audit',
    `/sessions/${session.id}/events`,
  ])
    expect(await (await server.api(path)).text()).not.toMatch(/my-text|my-secret/)
})

test('an option, a mode or a level that the agent does not have is refused', async () => {
  expect(await problemOf(create({ mode: 'yolo' }))).toMatchObject({
    status: 422,
    code: 'not_supported',
  })
  expect(await problemOf(create({ mode: 'plan' }, { agent: 'demo' }))).toMatchObject({
    status: 422,
    code: 'not_supported',
    detail: expect.stringContaining('does not support permission modes'),
  })
})

test('a key that may only send prompts switches no approval off, and starts no programs', async () => {
  const prompting = await keyWith(['read', 'prompt'])
  const approving = await keyWith(['read', 'prompt', 'approve'])
  const refused = { status: 403, code: 'wrong_scope' }
  const servers = { mcpServers: { a: { command: 'a' } } }
  expect(await problemOf(create({ mode: 'plan' }, {}, prompting))).toMatchObject(refused)
  expect(await problemOf(create({ allowedTools: ['Bash'] }, {}, prompting))).toMatchObject(refused)
  expect(await problemOf(create(servers, {}, approving))).toMatchObject(refused)
  const { id } = await createdBy(create({ deniedTools: ['Bash'] }, {}, prompting))
  const change = { method: 'POST', body: { mode: 'plan' }, token: prompting } as const
  expect(await problemOf(server.api(`/sessions/${id}/mode`, change))).toMatchObject(refused)
  const run = { method: 'POST', body: { command: 'true' }, token: prompting } as const
  expect(await problemOf(server.api(`/sessions/${id}/shell`, run))).toMatchObject(refused)
})

test('further directories are below the roots, and in the projects that a key sees', async () => {
  const other = join(server.home, 'other')
  mkdirSync(other)
  await createdBy(create({ directories: [other] }))
  expect(await problemOf(create({ directories: ['/etc'] }))).toMatchObject({
    code: 'path_outside_roots',
  })
  const limited = await keyWith(['read', 'prompt'], { projects: [projectId] })
  expect(await problemOf(create({ directories: [other] }, {}, limited))).toMatchObject({
    code: 'key_limited',
  })
  const data = join(server.root, 'data')
  expect((await problemOf(create({ directories: [data] }))).status).toBeGreaterThanOrEqual(400)
})

test('the mode of a session changes before its agent runs, and its modes are listed', async () => {
  const { id } = await createdBy(create({}))
  const { sessions } = server.client
  await sessions.mode(id, 'acceptEdits')
  // The response says that the change is accepted; reads show it a moment later.
  await expect.poll(() => sessions.modes(id)).toMatchObject({ mode: 'acceptEdits' })
  expect((await sessions.modes(id)).modes.map((each) => each.id)).toContain('bypassPermissions')
  await expect(sessions.mode(id, 'yolo')).rejects.toMatchObject({
    status: 409,
    code: 'agent_refused',
    detail: expect.stringContaining('It has: default, plan'),
  })
  await sessions.model(id, { thinkingLevel: 'low' })
  await expect
    .poll(() => sessions.get(id))
    .toMatchObject({
      start: { mode: 'acceptEdits', thinkingLevel: 'low' },
      permissionMode: 'acceptEdits',
    })
})

test('what an agent does not have is not supported: switches, shell commands, modes', async () => {
  const { id } = await createdBy(create({}))
  const { sessions } = server.client
  const unsupported = { status: 422, code: 'not_supported' }
  await expect(sessions.switches(id, { autoRetry: false })).rejects.toMatchObject(unsupported)
  await expect(sessions.shell(id, 'true')).rejects.toMatchObject(unsupported)
})

test('a session in a worktree of its own works on a branch of its own', async () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: server.projectDirectory,
    })
  expect(await problemOf(create({}, { worktree: true }))).toMatchObject({ code: 'no_repository' })
  git('init', '--quiet')
  writeFileSync(join(server.projectDirectory, 'a.txt'), 'a')
  git('add', '.')
  git('commit', '--quiet', '-m', 'a')
  const session = await createdBy(create({}, { worktree: true }))
  expect(session.worktree?.branch).toMatch(/^sluice\/[0-9a-f]{8}-claude$/)
  expect(session.cwd).toBe(session.worktree?.path)
})
