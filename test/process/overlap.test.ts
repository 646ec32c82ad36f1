import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { refuseOverlap } from '../../src/process/overlap.ts'
import { openSluice } from '../../src/sluice/sluice.ts'
import { sluice as runSluice } from '../support/sluice.ts'

describe('a directory to work in', () => {
  let home = ''
  let data = ''
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-overlap-')))
    data = join(home, '.sluice')
    for (const name of ['.sluice/turns', 'project', '.sluice-2'])
      mkdirSync(join(home, name), { recursive: true })
    symlinkSync(data, join(home, 'project', 'link'))
    symlinkSync(home, join(home, 'project', 'up'))
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  test.for([
    ['', 'contains the data directory'],
    ['project/up', 'contains the data directory'],
    ['.sluice', 'is in the data directory'],
    ['.sluice/turns', 'is in the data directory'],
    ['project/link/turns', 'is in the data directory'],
  ] as const)('is refused: "%s" %s', ([path, text]) => {
    expect(() => refuseOverlap(join(home, path), data)).toThrow(text)
  })

  test.for(['project', '.sluice-2', 'nowhere'])('may be beside the data directory: %s', (path) => {
    expect(() => refuseOverlap(join(home, path), data)).not.toThrow()
  })

  test('of a chat is refused, with what to do', async () => {
    const { code, stderr } = await runSluice(['chat', 'demo', '--data', data], { cwd: home })
    expect(code).toBe(2)
    expect(stderr).toContain(
      `sluice: ${home} contains the data directory of Sluice (${data}). Choose a project directory below it.\n`,
    )
  })
})

test('a project over HTTP must not contain the data directory', async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-overlap-')))
  const data = join(home, '.sluice')
  const sluice = await openSluice({ data, roots: [home], http: { port: 0, auth: false } })
  onTestFinished(async () => {
    await sluice.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  })
  const { projects } = createClient({ url: sluice.server?.url ?? '' })
  for (const path of [home, data])
    await expect(projects.create({ name: 'P', path })).rejects.toMatchObject({
      status: 422,
      code: 'overlaps_data',
    })
  await expect(sluice.sessions.create({ agent: 'demo', cwd: '/' })).rejects.toMatchObject({
    code: 'overlaps_data',
  })
  // A session from before this rule: its directory became a link to the home directory.
  const project = join(home, 'project')
  mkdirSync(project)
  const { session } = await sluice.sessions.create({ agent: 'demo', cwd: project })
  rmSync(project, { recursive: true })
  symlinkSync(home, project)
  await expect(session.prompt('hello')).resolves.toMatchObject({
    outcome: 'failed',
    code: 'overlaps_data',
  })
})
