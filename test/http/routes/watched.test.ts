import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalServer, readProblem, startLocalServer } from '../../support/local-server.ts'

describe('what is watched', () => {
  let server: LocalServer
  beforeAll(async () => {
    server = await startLocalServer()
  })
  afterAll(async () => {
    await server.close()
    server.remove()
  })

  const send = (body: unknown) => server.api('/watched', { method: 'PATCH', body })

  test('is listed for each agent, and can be switched off and on', async () => {
    const { watched, audit } = server.client
    const { isOn, agents, projectsOff } = await watched.get()
    expect({ isOn, projectsOff }).toEqual({ isOn: false, projectsOff: [] })
    expect(agents.map(({ agent }) => agent)).toEqual([
      ...['claude', 'pi', 'codex', 'gemini', 'qwen', 'copilot', 'opencode'],
    ])
    const changed = await watched.change({ agent: 'pi', state: 'off' })
    expect(changed.agents.find(({ agent }) => agent === 'pi')).toMatchObject({
      ...{ title: 'Pi', state: 'off', isRead: false },
      path: expect.stringMatching(/^\/.*sessions$/),
    })
    const { entries } = await audit.list()
    expect(entries[0]).toMatchObject({ action: 'watching_changed', detail: 'pi: off' })
    const again = await watched.change({ agent: 'pi', state: 'on' })
    expect(again.agents.every(({ state }) => state === 'on')).toBe(true)
  })

  test('names a project by the directory that a link leads to', async () => {
    const directory = join(realpathSync(server.home), 'private')
    mkdirSync(directory)
    symlinkSync(directory, join(server.home, 'link'))
    const { watched } = server.client
    const off = await watched.change({ project: join(server.home, 'link'), state: 'off' })
    expect(off.projectsOff).toEqual([directory])
    expect((await watched.change({ project: directory, state: 'on' })).projectsOff).toEqual([])
  })

  test('refuses agents that it does not read, and everything but one absolute path', async () => {
    expect(await readProblem(send({ agent: 'cline', state: 'off' }))).toMatchObject({
      ...{ status: 422, code: 'not_supported' },
      detail: expect.stringContaining('claude, pi'),
    })
    for (const body of [
      { state: 'off' },
      { project: 'here', state: 'off' },
      { project: '/a\0b', state: 'off' },
      { agent: 'pi', project: '/srv', state: 'off' },
      { agent: 'pi', state: 'gone' },
    ])
      expect(await readProblem(send(body))).toMatchObject({ status: 422 })
  })
})
