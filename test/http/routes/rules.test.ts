import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalServer, readProblem, startLocalServer } from '../../support/local-server.ts'

describe('rules', () => {
  let server: LocalServer
  beforeAll(async () => {
    server = await startLocalServer()
  })
  afterAll(async () => {
    await server.close()
    server.remove()
  })

  const npmTest = { effect: 'allow', tool: 'bash', pattern: 'npm test' } as const
  const file = () => join(server.root, 'data', 'policies.json')

  test('of a session and of its project are listed, added and removed', async () => {
    const { rules } = server.client
    const { id, project } = await server.createDemoSession()
    expect(await rules.ofSession(id)).toEqual({ mode: 'ask', rules: [] })
    const own = await rules.addToSession(id, npmTest)
    expect(own).toMatchObject({ ...npmTest, scope: 'session', by: expect.any(String) })
    const stored = await rules.addToProject(project.id, { ...npmTest, effect: 'deny' })
    expect(stored).toMatchObject({ scope: 'project', directory: server.projectDirectory })
    expect((await rules.ofSession(id)).rules).toEqual([own, stored])
    expect((await rules.ofProject(project.id)).rules).toEqual([stored])
    expect(readFileSync(file(), 'utf8')).toContain('npm test')
    expect(existsSync(join(server.projectDirectory, '.sluice'))).toBe(false)
    await rules.removeFromSession(id, own.id)
    await rules.removeFromProject(project.id, stored.id)
    expect((await rules.ofSession(id)).rules).toEqual([])
    const gone = server.api(`/sessions/${id}/rules/${own.id}`, { method: 'DELETE' })
    expect(await readProblem(gone)).toMatchObject({ status: 404, code: 'unknown_rule' })
  })

  test('that cannot work are refused with the reason', async () => {
    const { id } = await server.createDemoSession()
    const add = (body: object) => server.api(`/sessions/${id}/rules`, { method: 'POST', body })
    for (const body of [
      { effect: 'allow', tool: 'bash' },
      { effect: 'allow', tool: 'edit', pattern: 'src/*.ts' },
      { effect: 'always', tool: 'bash' },
      { effect: 'allow', tool: 'bash', pattern: '' },
    ])
      expect(await readProblem(add(body))).toMatchObject({ status: 422, code: 'invalid' })
  })

  test('in a broken file are not overwritten, and say so', async () => {
    const { id, project } = await server.createDemoSession()
    writeFileSync(file(), '{ "projects": ')
    expect((await server.client.rules.ofSession(id)).warning).toContain('policies.json')
    const add = server.api(`/projects/${project.id}/rules`, { method: 'POST', body: npmTest })
    expect(await readProblem(add)).toMatchObject({ status: 409, code: 'rules_unreadable' })
    expect(readFileSync(file(), 'utf8')).toBe('{ "projects": ')
  })
})
