import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { piSetup } from '../agents/pi.ts'
import { startModel } from '../model/server.ts'
import { agentProgram } from '../support/agent-program.ts'
import { sluice } from '../support/sluice.ts'

test('the real Pi works in a worktree beside another agent, with its own model', async () => {
  const model = await startModel()
  const setup = piSetup('0.87', model.url)
  onTestFinished(async () => {
    setup.remove()
    await model.close()
  })
  writeFileSync(join(setup.cwd, 'a.txt'), 'one\n')
  const program = agentProgram(setup)
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '-qm', 'First'],
  ])
    execFileSync('git', args, { cwd: setup.cwd })
  const { code, stdout, stderr } = await sluice(
    [
      ...['run', '--agents', 'pi:fake/fake-sonnet,demo', 'scenario:text please', '--json'],
      ...['--cwd', setup.cwd, '--data', join(setup.cwd, '..', 'compare-data'), '--clean-up'],
    ],
    { env: { ...setup.env, PI_BIN: program, SLUICE_DEMO_PACE: '0' } },
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [pi, demo] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(pi).toMatchObject({ agent: 'pi', state: 'done' })
  expect(pi.text).not.toBe('')
  expect(pi.costUsd).toBeGreaterThan(0)
  expect(demo).toMatchObject({ agent: 'demo', state: 'done' })
})
