import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { SessionInfo } from '../../../src/api/types.ts'
import { eventually } from '../../support/eventually.ts'
import { type LocalServer, readProblem, startLocalServer } from '../../support/local-server.ts'

let server: LocalServer
let projectId: string
const before = process.env.CLAUDE_BIN
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: server.projectDirectory, encoding: 'utf8' })
const inWorktree = ({ worktree }: SessionInfo, file = '') => join(worktree?.path ?? '', file)
const folder = () => join(server.projectDirectory, '.sluice/worktrees')
const names = () => readdirSync(folder()).filter((name) => name !== '.gitignore')

beforeAll(async () => {
  // An agent that is installed and does not work: it ends at once.
  process.env.CLAUDE_BIN = '/bin/false'
  server = await startLocalServer()
  const { projectDirectory: path } = server
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Somebody')
  git('config', 'user.email', 'somebody@example.org')
  writeFileSync(join(path, 'a.txt'), 'one\n')
  git('add', '-A')
  git('commit', '-qm', 'First')
  projectId = (await server.client.projects.create({ name: 'p', path })).id
})
afterAll(async () => {
  process.env.CLAUDE_BIN = before
  await server.close()
  server.remove()
})
beforeEach(async () => {
  for (const { path } of await server.client.worktrees.list())
    await server.client.worktrees.remove(path, { force: true })
})

const create = (more: object = {}) =>
  server.client.sessions.create({ projectId, agent: 'demo', worktree: true, ...more })
const isThere = (session: SessionInfo) => existsSync(inWorktree(session))

test('worktrees are listed with what deleting them would lose', async () => {
  const session = await create()
  const { client } = server
  const [listed] = await client.worktrees.list({ projectId })
  expect(listed).toEqual({
    ...{ path: inWorktree(session), branch: session.worktree?.branch, projectId },
    ...{ project: server.projectDirectory, sessionIds: [session.id] },
    ...{ state: 'clean', changedFiles: 0, commits: 0 },
  })
  writeFileSync(inWorktree(session, 'new.txt'), 'x')
  expect(await client.worktrees.list()).toMatchObject([{ state: 'changed', changedFiles: 1 }])
  execFileSync('git', ['add', '-A'], { cwd: inWorktree(session) })
  execFileSync('git', ['commit', '-qm', 'Work'], { cwd: inWorktree(session) })
  expect(await client.worktrees.list()).toMatchObject([{ state: 'clean', commits: 1 }])
})

test('a worktree with changes is deleted only with force, and a branch with commits stays', async () => {
  const session = await create()
  const path = inWorktree(session)
  writeFileSync(join(path, 'new.txt'), 'x')
  execFileSync('git', ['add', '-A'], { cwd: path })
  execFileSync('git', ['commit', '-qm', 'Work'], { cwd: path })
  writeFileSync(join(path, 'later.txt'), 'x')
  await expect(server.client.worktrees.remove(path)).rejects.toMatchObject({
    status: 409,
    code: 'uncommitted_changes',
  })
  expect(isThere(session)).toBe(true)
  await server.client.worktrees.remove(path, { force: true })
  expect(isThere(session)).toBe(false)
  expect(git('branch', '--list', 'sluice/*')).toContain(session.worktree?.branch)
  // The session can still be read, and says what is wrong with the next prompt.
  expect(await server.client.sessions.get(session.id)).toMatchObject({ id: session.id })
  await expect(server.client.sessions.prompt(session.id, 'hi')).rejects.toMatchObject({
    code: 'agent_failed',
  })
})

test.each(['/etc', '../../etc', '.sluice/worktrees', '.sluice/worktrees/../..', '.'])(
  'only what git lists as a worktree of a project can be deleted, not %s',
  async (path) => {
    const { projectDirectory } = server
    for (const each of [path, `${projectDirectory}/${path}`])
      expect(
        await readProblem(
          server.api(`/worktrees?force=true&path=${encodeURIComponent(each)}`, {
            method: 'DELETE',
          }),
        ),
      ).toMatchObject({ status: 404, code: 'unknown_worktree' })
    expect(readFileSync(join(projectDirectory, 'a.txt'), 'utf8')).toBe('one\n')
  },
)

test('a worktree goes with its session, and comes back with it', async () => {
  const session = await create()
  await server.client.sessions.remove(session.id)
  expect(isThere(session)).toBe(false)
  expect(git('branch', '--list', 'sluice/*')).not.toContain(session.worktree?.branch)
  await server.client.sessions.update(session.id, { removed: false })
  expect(readFileSync(inWorktree(session, 'a.txt'), 'utf8')).toBe('one\n')
})

test('a worktree with changes stays unless the caller gives them up', async () => {
  const [kept, given] = [await create(), await create()]
  for (const each of [kept, given]) writeFileSync(inWorktree(each, 'new.txt'), 'x')
  await server.client.sessions.remove(kept.id)
  await server.client.sessions.remove(given.id, { worktree: 'delete' })
  expect([isThere(kept), isThere(given)]).toEqual([true, false])
  expect(await server.client.worktrees.list()).toMatchObject([{ sessionIds: [] }])
})

test('a prompt goes to several agents, and one that fails is reported', async () => {
  const { client } = server
  const made = await client.comparisons.create({
    ...{ projectId, agents: ['demo', 'claude'], prompt: 'think' },
  })
  const agents = await eventually(async () => {
    const { agents: all } = await client.comparisons.get(made.id)
    expect(all.every(({ state }) => state === 'done' || state === 'failed')).toBe(true)
    return all
  })
  expect(agents).toMatchObject([
    { state: 'done', session: { agent: 'demo', comparisonId: made.id }, additions: 0 },
    { state: 'failed', session: { agent: 'claude' }, problem: expect.any(String) },
  ])
  expect(agents[0]?.text).not.toBe('')
  const { sessions } = await client.sessions.list({ comparisonId: made.id })
  expect(sessions.map(({ agent }) => agent)).toEqual(['claude', 'demo'])
  expect(await readProblem(server.api('/comparisons/nothing'))).toMatchObject({
    status: 404,
    code: 'unknown_comparison',
  })
})

test('if one agent of a comparison cannot be used, nothing is created', async () => {
  const { client } = server
  const { sessions } = await client.sessions.list()
  const wanted = { projectId, prompt: 'think' }
  await expect(
    client.comparisons.create({ ...wanted, agents: ['demo', 'nobody'] }),
  ).rejects.toMatchObject({ code: 'agent_not_installed' })
  await expect(
    client.comparisons.create({ ...wanted, agents: ['demo', 'demo'] }),
  ).rejects.toMatchObject({ code: 'invalid' })
  const { key } = await client.keys.create({
    ...{ name: 'one', scopes: ['read', 'prompt'], maxSessions: 1 },
  })
  const body = { ...wanted, agents: ['demo', 'claude'] }
  const limited = server.api('/comparisons', { method: 'POST', body, token: key })
  expect(await readProblem(limited)).toMatchObject({ code: 'quota_exceeded' })
  expect((await client.sessions.list()).sessions).toEqual(sessions)
  expect(names()).toEqual([])
})
