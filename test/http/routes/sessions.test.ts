import { mkdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  problemIn,
  type Serving,
  settled as settledAt,
  startServing,
} from '../../support/local-server.ts'
import { patiently } from '../../support/patiently.ts'

/** Projects and sessions over a real port. */
describe('projects and sessions', () => {
  let serving: Serving
  beforeAll(async () => {
    serving = await startServing()
  })
  afterAll(async () => {
    await serving.close()
    serving.remove()
  })

  const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    serving.api(path, { method: 'POST', headers, ...(body !== undefined && { body }) })

  const settled = (id: string) => settledAt(serving, id)

  describe('projects', () => {
    test('made, read, listed, forgotten', async () => {
      const path = join(serving.home, 'one')
      mkdirSync(path)
      const made = await post('/projects', { name: 'One', path })
      expect(made.status).toBe(201)
      const project = await serving.client.projects.get(
        made.headers.get('location')?.split('/').at(-1) ?? '',
      )
      expect(project).toMatchObject({ name: 'One', path })
      expect(await serving.client.projects.list()).toContainEqual(project)
      await serving.client.projects.remove(project.id)
      expect(await problemIn(serving.api(`/projects/${project.id}`))).toMatchObject({
        status: 404,
        code: 'unknown_project',
      })
    })

    test('a directory is one project, however often it is asked for', async () => {
      const path = join(serving.home, 'once')
      mkdirSync(path)
      const link = join(serving.home, 'once-more')
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
      const known = await serving.client.projects.list()
      expect(known.filter((each) => each.path === path)).toEqual([project])
    })

    test('must be a directory below the roots, links followed', async () => {
      const refused = async (path: string) =>
        (await problemIn(post('/projects', { name: 'X', path }))).code
      const inside = join(serving.home, 'way-out')
      symlinkSync(serving.root, inside)
      writeFileSync(join(serving.home, 'file'), '')
      expect(await refused(serving.root)).toBe('path_outside_roots')
      expect(await refused('/')).toBe('path_outside_roots')
      expect(await refused('/not/there')).toBe('path_outside_roots')
      expect(await refused(inside)).toBe('path_outside_roots')
      expect(await refused(join(serving.home, '..'))).toBe('path_outside_roots')
      expect(await refused(`${serving.home}-beside`)).toBe('path_outside_roots')
      expect(await refused(join(serving.home, 'file'))).toBe('not_a_directory')
      expect(await refused(join(serving.home, 'none'))).toBe('not_a_directory')
      expect(await refused('relative')).toBe('not_a_directory')
      expect(await refused(`${serving.home}\0`)).toBe('not_a_directory')
    })

    test('one whose directory became a link out of the roots begins no session', async () => {
      const path = join(serving.home, 'swapped')
      mkdirSync(path)
      const { id } = await serving.client.projects.create({ name: 'S', path })
      rmdirSync(path)
      symlinkSync('/', path)
      const refused = post('/sessions', { projectId: id, agent: 'demo' })
      expect(await problemIn(refused)).toMatchObject({ status: 403, code: 'path_outside_roots' })
    })
  })

  describe('sessions', () => {
    test('need a project and an agent', async () => {
      const { project } = await serving.begin()
      const asked = (body: object) => problemIn(post('/sessions', body))
      expect(await asked({ projectId: 'none', agent: 'demo' })).toMatchObject({
        status: 404,
        code: 'unknown_project',
      })
      expect(await asked({ projectId: project.id, agent: 'none' })).toMatchObject({
        status: 422,
        code: 'agent_not_installed',
      })
    })

    test('are begun, read, listed page by page, and filtered', async () => {
      const path = join(serving.home, 'listed')
      mkdirSync(path)
      const project = await serving.client.projects.create({ name: 'L', path })
      const { id } = await serving.client.sessions.create({ projectId: project.id, agent: 'demo' })
      const more = await Promise.all(
        [1, 2, 3].map((n) =>
          serving.client.sessions.create({ projectId: project.id, agent: 'demo', name: `S${n}` }),
        ),
      )
      expect(await serving.client.sessions.get(id)).toMatchObject({
        id,
        agent: 'demo',
        state: 'idle',
        cwd: path,
      })
      const query = { projectId: project.id, limit: 3 }
      const first = await serving.client.sessions.list(query)
      expect(first.sessions).toHaveLength(3)
      const rest = await serving.client.sessions.list({ ...query, cursor: first.next })
      expect(rest.next).toBeUndefined()
      expect([...first.sessions, ...rest.sessions].map((session) => session.id).sort()).toEqual(
        [id, ...more.map((session) => session.id)].sort(),
      )
      expect((await serving.client.sessions.list({ state: 'running' })).sessions).toEqual([])
      expect((await serving.client.sessions.list({ agent: 'pi' })).sessions).toEqual([])
    })

    test('tell nothing of processes and of the agent’s own ids', async () => {
      const { id } = await serving.begin()
      await serving.client.sessions.prompt(id, 'think')
      await settled(id)
      const text = await (await serving.api(`/sessions/${id}`)).text()
      expect(text).not.toMatch(/pid|nativeId/)
    })

    test('get a name, and lose it', async () => {
      const { id } = await serving.begin()
      const told = (async () => {
        for await (const event of serving.client.sessions.stream(id))
          if (event.type === 'session_update' && event.name) return event.name
        return undefined
      })()
      expect(await serving.client.sessions.update(id, { name: ' A name ' })).toMatchObject({
        name: 'A name',
      })
      expect(await told).toBe('A name')
      expect(await serving.client.sessions.update(id, { name: null })).not.toHaveProperty('name')
      expect(await serving.client.sessions.get(id)).not.toHaveProperty('name')
      // Whoever comes after the answer finds it so.
      for await (const event of serving.client.sessions.stream(id)) {
        expect(event).toMatchObject({ type: 'snapshot' })
        expect(event).not.toHaveProperty('name')
        break
      }
    })

    test('are titled after their first prompt, which is told to all; a name does not touch that', async () => {
      const { id } = await serving.begin()
      const all = serving.client.followAll()
      const seen = () => all.overview.get().sessions.find((each) => each.id === id)
      await patiently(() => expect(seen()).toMatchObject({ id }))
      expect(seen()).not.toHaveProperty('title')
      const { seq } = await serving.client.sessions.prompt(id, 'think  of roses\nand of thorns')
      await settledAt(serving, id, seq)
      const title = 'think of roses'
      await patiently(() => expect(seen()).toMatchObject({ title }))
      expect(await serving.client.sessions.get(id)).toMatchObject({ title })
      const { sessions } = await serving.client.sessions.list()
      expect(sessions.find((each) => each.id === id)).toMatchObject({ title })
      const named = await serving.client.sessions.update(id, { name: 'Garden' })
      expect(named).toMatchObject({ name: 'Garden', title })
      await patiently(() => expect(seen()).toMatchObject({ name: 'Garden', title }))
      const bare = await serving.client.sessions.update(id, { name: null })
      expect(bare).toMatchObject({ title })
      expect(bare).not.toHaveProperty('name')
      await patiently(() => expect(seen()).not.toHaveProperty('name'))
      all.close()
    })

    test('whose directory became a link out of the roots start no agent there', async () => {
      const path = join(serving.home, 'moved')
      mkdirSync(path)
      const project = await serving.client.projects.create({ name: 'M', path })
      const { id } = await serving.client.sessions.create({ projectId: project.id, agent: 'demo' })
      rmdirSync(path)
      symlinkSync('/', path)
      const outside = { status: 403, code: 'path_outside_roots' }
      for (const command of ['prompt', 'steer', 'follow-up'])
        expect(
          await problemIn(post(`/sessions/${id}/${command}`, { text: 'think' })),
        ).toMatchObject(outside)
      expect(await problemIn(post(`/sessions/${id}/model`, { model: 'm' }))).toMatchObject(outside)
      expect(await problemIn(post(`/sessions/${id}/compact`))).toMatchObject(outside)
      expect(await problemIn(serving.api(`/sessions/${id}/turn-diff`))).toMatchObject(outside)
      expect((await serving.client.sessions.events(id)).events).toEqual([])
    })

    test('are gone when removed, can be taken back, and are unknown when they never were', async () => {
      const { id } = await serving.begin()
      const open = await serving.api(`/sessions/${id}/stream`)
      await serving.client.sessions.remove(id)
      expect(await open.text()).toContain('"type":"snapshot"') // it ends
      for (const path of ['', '/messages', '/events', '/stream', '/usage'])
        expect(await problemIn(serving.api(`/sessions/${id}${path}`))).toMatchObject({
          status: 410,
          code: 'gone',
        })
      expect(await problemIn(post(`/sessions/${id}/prompt`, { text: 'x' }))).toMatchObject({
        status: 410,
      })
      await serving.client.sessions.update(id, { removed: false })
      expect(await serving.client.sessions.get(id)).toMatchObject({ id })
      for (const path of ['', '/messages', '/events', '/stream', '/export'])
        expect(await problemIn(serving.api(`/sessions/none${path}`))).toMatchObject({
          status: 404,
          code: 'unknown_session',
        })
    })
  })
})
