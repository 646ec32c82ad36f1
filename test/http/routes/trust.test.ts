import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalServer, readProblem, startLocalServer } from '../../support/local-server.ts'

describe('trust in a directory', () => {
  let server: LocalServer
  let path = ''
  beforeAll(async () => {
    server = await startLocalServer()
    path = join(realpathSync(server.home), 'strange')
    mkdirSync(path)
  })
  afterAll(async () => {
    await server.close()
    server.remove()
  })

  test('is given to what was seen, stored with a name and a time, and taken back', async () => {
    const { trust } = server.client
    expect(await trust.get(path)).toMatchObject({ path, state: 'not_needed', files: [] })
    writeFileSync(join(path, '.mcp.json'), '{}')
    const { state, hash = '', files } = await trust.get(path)
    expect({ state, files }).toEqual({
      state: 'undecided',
      files: ['claude', 'copilot', 'qwen'].map((agent) => ({
        path: '.mcp.json',
        kind: 'mcp_servers',
        agent,
      })),
    })
    expect(await trust.decide({ path, hash, trusted: true })).toMatchObject({ state: 'trusted' })
    expect(await trust.get(path)).toMatchObject({
      state: 'trusted',
      by: expect.any(String),
      decidedAt: expect.any(Number),
    })
    writeFileSync(join(path, '.mcp.json'), '{ }')
    const late = trust.decide({ path, hash, trusted: true })
    await expect(late).rejects.toMatchObject({ status: 409, code: 'project_changed' })
    await trust.forget(path)
    expect(await trust.get(path)).toMatchObject({ state: 'undecided' })
  })

  test('is only about directories below the roots', async () => {
    for (const outside of ['/', '/etc', join(path, '..', '..')])
      expect(
        await readProblem(server.api(`/trust?path=${encodeURIComponent(outside)}`)),
      ).toMatchObject({ status: 403, code: 'path_outside_roots' })
    expect(
      await readProblem(server.api(`/trust?path=${encodeURIComponent(join(path, 'nothing'))}`)),
    ).toMatchObject({ status: 422, code: 'not_a_directory' })
  })
})
