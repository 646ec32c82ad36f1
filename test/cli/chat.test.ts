import { realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lockHolder } from '../../src/log/index.ts'
import { piSetup } from '../agents/pi.ts'
import { startModel } from '../model/server.ts'
import { agentProgram } from '../support/agent-program.ts'
import { sluice } from '../support/sluice.ts'

describe('sluice chat', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: ReturnType<typeof piSetup>
  let data = ''

  beforeEach(async () => {
    model = await startModel()
    setup = piSetup('0.87', model.url)
    data = join(setup.cwd, '..', 'data')
    setup.env.PI_BIN = agentProgram(setup)
  })
  afterEach(async () => {
    setup.remove()
    await model.close()
  })

  const chat = (input: string, ...args: string[]) => {
    const fixed = ['chat', 'pi', '--cwd', setup.cwd, '--data', data, '--model', 'fake/fake-sonnet']
    return sluice([...fixed, ...args], { env: setup.env, input })
  }

  test('shows the conversation, stores it, and resumes it', async () => {
    const first = await chat('scenario:tool please\n', '--approve', 'allow')
    expect(first.stderr.replace(/^sluice: agents are not sandboxed.*\n/, '')).toBe('')
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
    // The history stands before the new answer.
    const shown = second.stdout.split('Hello from the model.')
    expect(shown).toHaveLength(2)
    expect(shown[0]).toMatch(/› scenario:tool please.*● bash.*It ran\..*session /s)
    expect(shown[0]).not.toContain('Waiting for approval')
    expect(second.stdout).toMatch(/Turns 1 /)
  })

  test('a policy can deny every tool', async () => {
    const { code, stdout } = await chat('scenario:tool please\n', '--approve', 'deny')
    expect(code).toBe(0)
    expect(stdout).toContain('Denied by the policy of this session.')
  })

  test('a question is denied at once when the input has ended', async () => {
    const args = ['chat', 'demo', '--cwd', setup.cwd, '--data', data]
    const env = { ...setup.env, SLUICE_DEMO_PACE: '0' }
    const { code, stdout } = await sluice(args, { env, input: 'tool\n' })
    expect(code).toBe(0)
    expect(stdout).toContain('It was denied (“Nobody is there to answer.”)')
  })

  test('an agent that dies at start-up is reported with its stderr', async () => {
    const program = join(setup.cwd, 'mortal')
    writeFileSync(program, '#!/bin/sh\necho "No licence." >&2\nexit 3\n', { mode: 0o755 })
    setup.env.PI_BIN = program
    const { code, stdout } = await chat('hello\n')
    expect(code).toBe(1)
    expect(stdout).toContain('✗ Pi exited with code 3.\nNo licence.')
    expect(stdout.match(/^✗ Pi exited/gm)).toHaveLength(1)
  })

  test('the exit code says whether the last message failed', async () => {
    const env = { ...setup.env, SLUICE_DEMO_PACE: '0' }
    const demo = (input: string, cwd: string) =>
      sluice(['chat', 'demo', '--cwd', cwd, '--data', data], { env, input })
    expect((await demo('think\n', join(setup.cwd, 'nowhere'))).code).toBe(1)
    expect((await demo('error\n', setup.cwd)).code).toBe(1)
    expect((await demo('think\n', setup.cwd)).code).toBe(0)
  })

  test('a stored session keeps its agent and directory; its model can change', async () => {
    await chat('scenario:text first\n')
    const listed = await sluice(['sessions', '--data', data, '--json'], { env: setup.env })
    const { id } = JSON.parse(listed.stdout)
    const resume = (...args: string[]) =>
      sluice(['chat', ...args, '--data', data, '--resume', id], {
        env: setup.env,
        input: 'scenario:text again\n',
      })
    const other = await resume('claude')
    expect(other.code).toBe(2)
    expect(other.stderr).toContain(
      `sluice: Session ${id} belongs to pi, not to claude. Leave out the agent.\n`,
    )
    const elsewhere = await resume('--cwd', '/')
    expect(elsewhere.code).toBe(2)
    expect(elsewhere.stderr).toContain(`works in ${setup.cwd}`)
    const unknown = await resume('--model', 'fake/nobody')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('Cannot switch to the model fake/nobody')
    expect((await resume('--model', 'fake/fake-opus')).code).toBe(0)
    expect(model.requests.at(-1)?.body).toContain('"model":"fake-opus"')
  })

  test('a session that does not exist is named', async () => {
    const { code, stderr } = await chat('', '--resume', 'nowhere')
    expect(code).toBe(2)
    expect(stderr).toContain('sluice: Session nowhere does not exist.')
    expect(lockHolder(data)).toBeUndefined() // and the directory was let go of
  })

  test('a relative data directory is stored as an absolute path', async () => {
    const args = ['chat', 'demo', '--cwd', '.', '--data', '../data']
    expect((await sluice(args, { env: setup.env, cwd: setup.cwd })).code).toBe(0)
    const { stdout } = await sluice(['sessions', '--data', data, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ cwd: realpathSync(setup.cwd) })
  })

  test('an empty list says how to start a session', async () => {
    const { stdout } = await sluice(['sessions', '--data', data], { env: setup.env })
    expect(stdout).toBe('No sessions yet. Start one with `sluice chat`.\n')
  })
})
