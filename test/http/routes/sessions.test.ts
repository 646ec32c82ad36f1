import { mkdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import {
  type LocalServer,
  readProblem,
  startLocalServer,
  waitForRunEnd,
} from '../../support/local-server.ts'

/** Projects and sessions over a real port. */
describe('projects and sessions', () => {
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

  const runEnd = (id: string) => waitForRunEnd(server, id)

  describe('projects', () => {
    test('are created, read, listed and deleted', async () => {
      const path = join(server.home, 'one')
      mkdirSync(path)
      const made = await post('/projects', { name: 'One', path })
      expect(made.status).toBe(201)
      const project = await server.client.projects.get(
        made.headers.get('location')?.split('/').at(-1) ?? '',
      )
      expect(project).toMatchObject({ name: 'One', path })
      expect(await server.client.projects.list()).toContainEqual(project)
      await server.client.projects.remove(project.id)
      expect(await readProblem(server.api(`/projects/${project.id}`))).toMatchObject({
        status: 404,
        code: 'unknown_project',
      })
    })

    test('a directory is one project, however often it is created', async () => {
      const path = join(server.home, 'once')
      mkdirSync(path)
      const link = join(server.home, 'once-more')
      symlinkSync(path, link)
      const made = await Promise.all(
        [path, link, path].map((each) => post('/projects', { name: 'Once', path: each })),
      )
      expect(made.map(({ status }) => status).sort()).toEqual([200, 200, 201])
      const later = await post('/projects', { name: 'Another name', path })
      expect(later.status).toBe(200)
      const project = await later.json()
      expect(project).toMatchObject({ name: 'Once', path })
      for (const each of made) expect(await each.json()).toEqual(project)
      const listed = await server.client.projects.list()
      expect(listed.filter((each) => each.path === path)).toEqual([project])
    })

    test('must be a directory inside the roots, after links are resolved', async () => {
      const refused = async (path: string) =>
        (await readProblem(post('/projects', { name: 'X', path }))).code
      const inside = join(server.home, 'way-out')
      symlinkSync(server.root, inside)
      writeFileSync(join(server.home, 'file'), '')
      expect(await refused(server.root)).toBe('path_outside_roots')
      expect(await refused('/')).toBe('path_outside_roots')
      expect(await refused('/not/there')).toBe('path_outside_roots')
      expect(await refused(inside)).toBe('path_outside_roots')
      expect(await refused(join(server.home, '..'))).toBe('path_outside_roots')
      expect(await refused(`${server.home}-beside`)).toBe('path_outside_roots')
      expect(await refused(join(server.home, 'file'))).toBe('not_a_directory')
      expect(await refused(join(server.home, 'none'))).toBe('not_a_directory')
      expect(await refused('relative')).toBe('not_a_directory')
      expect(await refused(`${server.home}\0`)).toBe('not_a_directory')
    })

    test('a project whose directory became a link out of the roots gets no session', async () => {
      const path = join(server.home, 'swapped')
      mkdirSync(path)
      const { id } = await server.client.projects.create({ name: 'S', path })
      rmdirSync(path)
      symlinkSync('/', path)
      const refused = post('/sessions', { projectId: id, agent: 'demo' })
      expect(await readProblem(refused)).toMatchObject({ status: 403, code: 'path_outside_roots' })
    })
  })

  describe('sessions', () => {
    test('need an existing project and an installed agent', async () => {
      const { project } = await server.createDemoSession()
      const refusal = (body: object) => readProblem(post('/sessions', body))
      expect(await refusal({ projectId: 'none', agent: 'demo' })).toMatchObject({
        status: 404,
        code: 'unknown_project',
      })
      expect(await refusal({ projectId: project.id, agent: 'none' })).toMatchObject({
        status: 422,
        code: 'agent_not_installed',
      })
    })

    test('need an agent that is driven while it runs', async () => {
      const { project } = await server.createDemoSession()
      const wanted = { projectId: project.id, agent: 'text' }
      expect(await readProblem(post('/sessions', wanted))).toMatchObject({
        status: 422,
        code: 'not_supported',
        detail: expect.stringContaining('Use `sluice run text`'),
      })
    })

    test('are created, read, listed in pages and filtered', async () => {
      const path = join(server.home, 'listed')
      mkdirSync(path)
      const project = await server.client.projects.create({ name: 'L', path })
      const { id } = await server.client.sessions.create({ projectId: project.id, agent: 'demo' })
      const more = await Promise.all(
        [1, 2, 3].map((n) =>
          server.client.sessions.create({ projectId: project.id, agent: 'demo', name: `S${n}` }),
        ),
      )
      expect(await server.client.sessions.get(id)).toMatchObject({
        id,
        agent: 'demo',
        state: 'idle',
        cwd: path,
      })
      const query = { projectId: project.id, limit: 3 }
      const first = await server.client.sessions.list(query)
      expect(first.sessions).toHaveLength(3)
      const rest = await server.client.sessions.list({ ...query, cursor: first.next })
      expect(rest.next).toBeUndefined()
      expect([...first.sessions, ...rest.sessions].map((session) => session.id).sort()).toEqual(
        [id, ...more.map((session) => session.id)].sort(),
      )
      expect((await server.client.sessions.list({ state: 'running' })).sessions).toEqual([])
      expect((await server.client.sessions.list({ agent: 'pi' })).sessions).toEqual([])
    })

    test('do not expose process ids or the agent’s own ids', async () => {
      const { id } = await server.createDemoSession()
      await server.client.sessions.prompt(id, 'think')
      await runEnd(id)
      const text = await (await server.api(`/sessions/${id}`)).text()
      expect(text).not.toMatch(/pid|nativeId/)
    })

    test('can be named, and the name removed', async () => {
      const { id } = await server.createDemoSession()
      const publishedName = (async () => {
        for await (const event of server.client.sessions.stream(id))
          if (event.type === 'session_update' && event.name) return event.name
        return undefined
      })()
      expect(await server.client.sessions.update(id, { name: ' A name ' })).toMatchObject({
        name: 'A name',
      })
      expect(await publishedName).toBe('A name')
      expect(await server.client.sessions.update(id, { name: null })).not.toHaveProperty('name')
      expect(await server.client.sessions.get(id)).not.toHaveProperty('name')
      // A stream opened after the response has no name.
      for await (const event of server.client.sessions.stream(id)) {
        expect(event).toMatchObject({ type: 'snapshot' })
        expect(event).not.toHaveProperty('name')
        break
      }
    })

    test('get a title from their first prompt, which a name does not change', async () => {
      const { id } = await server.createDemoSession()
      const all = server.client.followAll()
      const seen = () => all.overview.get().sessions.find((each) => each.id === id)
      await eventually(() => expect(seen()).toMatchObject({ id }))
      expect(seen()).not.toHaveProperty('title')
      const { seq } = await server.client.sessions.prompt(id, 'think  of roses\nand of thorns')
      await waitForRunEnd(server, id, seq)
      const title = 'think of roses'
      await eventually(() => expect(seen()).toMatchObject({ title }))
      expect(await server.client.sessions.get(id)).toMatchObject({ title })
      const { sessions } = await server.client.sessions.list()
      expect(sessions.find((each) => each.id === id)).toMatchObject({ title })
      const named = await server.client.sessions.update(id, { name: 'Garden' })
      expect(named).toMatchObject({ name: 'Garden', title })
      await eventually(() => expect(seen()).toMatchObject({ name: 'Garden', title }))
      const bare = await server.client.sessions.update(id, { name: null })
      expect(bare).toMatchObject({ title })
      expect(bare).not.toHaveProperty('name')
      await eventually(() => expect(seen()).not.toHaveProperty('name'))
      all.close()
    })

    test('whose directory became a link out of the roots start no agent', async () => {
      const path = join(server.home, 'moved')
      mkdirSync(path)
      const project = await server.client.projects.create({ name: 'M', path })
      const { id } = await server.client.sessions.create({ projectId: project.id, agent: 'demo' })
      rmdirSync(path)
      symlinkSync('/', path)
      const outside = { status: 403, code: 'path_outside_roots' }
      for (const command of ['prompt', 'steer', 'follow-up'])
        expect(
          await readProblem(post(`/sessions/${id}/${command}`, { text: 'think' })),
        ).toMatchObject(outside)
      expect(await readProblem(post(`/sessions/${id}/model`, { model: 'm' }))).toMatchObject(
        outside,
      )
      expect(await readProblem(post(`/sessions/${id}/compact`))).toMatchObject(outside)
      expect(await readProblem(server.api(`/sessions/${id}/turn-diff`))).toMatchObject(outside)
      expect((await server.client.sessions.events(id)).events).toEqual([])
    })

    test('are gone when removed, can be restored, and are unknown when they never existed', async () => {
      const { id } = await server.createDemoSession()
      const open = await server.api(`/sessions/${id}/stream`)
      await server.client.sessions.remove(id)
      expect(await open.text()).toContain('"type":"snapshot"') // it ends
      for (const path of ['', '/messages', '/events', '/stream', '/usage'])
        expect(await readProblem(server.api(`/sessions/${id}${path}`))).toMatchObject({
          status: 410,
          code: 'gone',
        })
      expect(await readProblem(post(`/sessions/${id}/prompt`, { text: 'x' }))).toMatchObject({
        status: 410,
      })
      await server.client.sessions.update(id, { removed: false })
      expect(await server.client.sessions.get(id)).toMatchObject({ id })
      for (const path of ['', '/messages', '/events', '/stream', '/export'])
        expect(await readProblem(server.api(`/sessions/none${path}`))).toMatchObject({
          status: 404,
          code: 'unknown_session',
        })
    })
  })
})
