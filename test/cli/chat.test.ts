import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { holderOf } from '../../src/log/index.ts'
import { piSetup } from '../agents/pi.ts'
import { startModel } from '../model/server.ts'
import { programOf } from '../support/program.ts'
import { sluice } from '../support/sluice.ts'

describe('sluice chat', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: ReturnType<typeof piSetup>
  let data = ''

  beforeEach(async () => {
    model = await startModel()
    setup = piSetup('0.87', model.url)
    data = join(setup.cwd, 'data')
    setup.env.PI_BIN = programOf(setup)
  })
  afterEach(async () => {
    setup.remove()
    await model.close()
  })

  const chat = (input: string, ...args: string[]) => {
    const fixed = ['chat', 'pi', '--cwd', setup.cwd, '--data', data, '--model', 'fake/fake-sonnet']
    return sluice([...fixed, ...args], { env: setup.env, input })
  }

  test('shows the conversation, keeps it, and goes on with it', async () => {
    const first = await chat('scenario:tool please\n', '--approve', 'allow')
    expect(first.stderr).toBe('')
    expect(first.code).toBe(0)
    expect(first.stdout).toMatch(/● bash/)
    expect(first.stdout).toMatch(/Duration .* · Cost \$/)
    const listed = await sluice(['sessions', '--data', data, '--json'], { env: setup.env })
    const { id, nativeId } = JSON.parse(listed.stdout)
    expect(first.stdout).toContain(id)
    expect(nativeId).toEqual(expect.any(String))
    const second = await chat('scenario:text again\n', '--resume', id)
    expect(second.code).toBe(0)
    expect(JSON.stringify(model.requests.at(-1))).toContain('scenario:tool please')
  })

  test('a policy can deny every tool', async () => {
    const { code, stdout } = await chat('scenario:tool please\n', '--approve', 'deny')
    expect(code).toBe(0)
    expect(stdout).toContain('Denied by the policy of this session.')
  })

  test('a session that is not there is told in words', async () => {
    const { code, stderr } = await chat('', '--resume', 'nowhere')
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'sluice: There is no session nowhere.\n' })
    expect(holderOf(data)).toBeUndefined() // and the directory was let go of
  })

  test('a directory is kept as a whole path, from wherever it is read', async () => {
    const args = ['chat', 'demo', '--cwd', '.', '--data', 'data']
    expect((await sluice(args, { env: setup.env, cwd: setup.cwd })).code).toBe(0)
    const { stdout } = await sluice(['sessions', '--data', data, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ cwd: realpathSync(setup.cwd) })
  })

  test('without sessions, the list says how to begin', async () => {
    const { stdout } = await sluice(['sessions', '--data', data], { env: setup.env })
    expect(stdout).toBe('No sessions yet: `sluice chat` begins one.\n')
  })
})
