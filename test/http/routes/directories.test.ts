import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalServer, readProblem, startLocalServer } from '../../support/local-server.ts'

describe('directories that can become a project', () => {
  let server: LocalServer
  let home = ''
  beforeAll(async () => {
    server = await startLocalServer()
    home = realpathSync(server.home)
    for (const name of ['beta', 'alpha', '.hidden', 'alpha/inner'])
      mkdirSync(join(home, name), { recursive: true })
    writeFileSync(join(home, 'file'), '')
    symlinkSync('/', join(home, 'way-out'))
  })
  afterAll(async () => {
    await server.close()
    server.remove()
  })

  const list = (path?: string) => server.client.projects.directories(path)

  test('start at the roots', async () => {
    expect((await list()).directories.map(({ path }) => path)).toContain(home)
  })

  test('are listed by name, without files, links and hidden ones', async () => {
    const top = await list(home)
    expect(top.path).toBe(home)
    expect(top.directories.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['alpha', 'beta']),
    )
    for (const name of ['.hidden', 'file', 'way-out'])
      expect(top.directories.map((each) => each.name)).not.toContain(name)
    expect(top.parent).toBeUndefined()
  })

  test('have a parent inside the roots, and none outside', async () => {
    const alpha = await list(join(home, 'alpha'))
    expect(alpha).toMatchObject({ parent: home, directories: [{ name: 'inner' }] })
    for (const path of ['/', join(home, '..'), join(home, 'way-out')])
      expect(
        await readProblem(server.api(`/directories?path=${encodeURIComponent(path)}`)),
      ).toMatchObject({ status: 403, code: 'path_outside_roots' })
  })

  test('are no pipes, no loops of links, and a bounded number', async () => {
    const hostile = join(home, 'hostile')
    mkdirSync(hostile)
    execFileSync('mkfifo', [join(hostile, 'pipe')])
    symlinkSync('loop', join(hostile, 'loop'))
    for (let at = 0; at < 1500; at += 1) mkdirSync(join(hostile, `d${at}`))
    const { directories, truncated } = await list(hostile)
    expect(directories).toHaveLength(1000)
    expect(truncated).toBe(true)
    for (const name of ['pipe', 'loop'])
      expect(
        await readProblem(
          server.api(`/directories?path=${encodeURIComponent(join(hostile, name))}`),
        ),
      ).toMatchObject({ status: 422, code: 'not_a_directory' })
  })
})
