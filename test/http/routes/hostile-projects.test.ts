import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalServer, startLocalServer } from '../../support/local-server.ts'

describe('a server with hostile repositories', () => {
  let server: LocalServer
  let home = ''
  beforeAll(async () => {
    server = await startLocalServer()
    home = realpathSync(server.home)
  })
  afterAll(async () => {
    await server.close()
    server.remove()
  })

  /** Starts a run of the demo agent in a new repository. */
  const startRun = async (name: string, prepare: (path: string) => void): Promise<string> => {
    const path = join(home, name)
    mkdirSync(path)
    execFileSync('git', ['init', '-q', path])
    prepare(path)
    const project = await server.client.projects.create({ name, path })
    const { id } = await server.client.sessions.create({ projectId: project.id, agent: 'demo' })
    await server.client.sessions.prompt(id, 'Show me around')
    return id
  }

  test('answers, though six of them have a pipe as index: four would fill the thread pool', async () => {
    const ids = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((at) =>
        startRun(`pipe-${at}`, (path) => {
          rmSync(join(path, '.git/index'), { force: true })
          execFileSync('mkfifo', [join(path, '.git/index')])
        }),
      ),
    )
    const reasons = async () =>
      (await Promise.all(ids.map((id) => server.client.sessions.turnDiff(id)))).map(
        ({ reason }) => reason,
      )
    await expect.poll(reasons, { timeout: 20_000 }).toEqual(ids.map(() => 'git_failed'))
    expect((await server.client.projects.directories(home)).path).toBe(home)
  })

  test('runs no filter of a repository when a run starts', async () => {
    const marker = join(home, 'ran')
    const id = await startRun('filter', (path) => {
      const config = join(path, '.git/config')
      writeFileSync(config, `[filter "a=b"]\n\tclean = "touch ${marker}; cat"\n`, { flag: 'a' })
      writeFileSync(join(path, '.gitattributes'), '* filter=a=b\n')
      writeFileSync(join(path, 'a.txt'), 'one\n')
    })
    const source = async () => (await server.client.sessions.turnDiff(id)).source
    await expect.poll(source, { timeout: 20_000 }).toBe('git')
    expect(existsSync(marker)).toBe(false)
  })
})
