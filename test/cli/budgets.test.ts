import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { budgetPrompt } from '../../src/cli/chat/budget-prompt.ts'
import { piSetup } from '../agents/pi.ts'
import { startModel } from '../model/server.ts'
import { agentProgram } from '../support/agent-program.ts'
import { eventsIn, ofType } from '../support/decoded.ts'
import { eventually } from '../support/eventually.ts'
import { createServerDirectories, startServerProcess } from '../support/server-process.ts'
import { processesOfSession } from '../support/session-processes.ts'
import { sluice } from '../support/sluice.ts'

/** The real Pi before a scripted model, whose calls have about 1,820 tokens each. */
describe('limits on the command line', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: ReturnType<typeof piSetup>
  let directories: ReturnType<typeof createServerDirectories>

  beforeEach(async () => {
    model = await startModel()
    setup = piSetup('0.87', model.url)
    setup.env.PI_BIN = agentProgram(setup)
    directories = createServerDirectories()
  })
  afterEach(async () => {
    setup.remove()
    directories.remove()
    await model.close()
  })

  const run = (args: readonly string[]) =>
    sluice(
      [
        ...['run', 'pi', 'scenario:three-tools please', '--out', 'events'],
        ...['--model', 'fake/fake-sonnet', '--cwd', setup.cwd, '--data', directories.data],
        ...args,
      ],
      { env: setup.env },
    )

  test('a run without a server is stopped at its limit, with an exit code of its own', async () => {
    const { code, stdout } = await run(['--max-tokens', '3k'])
    expect(code).toBe(3)
    const events = eventsIn(stdout)
    expect(model.requests).toHaveLength(2)
    expect(ofType(events, 'budget_update').map(({ level }) => level)).toEqual(['exceeded'])
    expect(ofType(events, 'error')).toMatchObject([{ code: 'budget_exceeded' }])
  })

  test('the final text of a stopped run comes with the reason', async () => {
    const { code, stderr } = await run([
      ...['--max-tokens', '3k', '--out', 'text', '--sandbox', 'off'],
    ])
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: 'sluice: The run was stopped: the limit of this session (3,000 tokens) is reached.\n',
    })
  })

  test('a run on a server is paused, and goes on when another terminal raises the limit', async () => {
    const server = await startServerProcess(directories, {
      env: setup.env,
      args: ['--approve', 'allow', '--root', dirname(realpathSync(setup.cwd))],
    })
    const here = ['--data', directories.data]
    const running = run(['--max-tokens', '3k', '--on-budget', 'ask'])
    const id = await eventually(async () => {
      const { stdout } = await sluice(['approvals', ...here])
      expect(stdout).toContain('The limit of this session (3,000 tokens) is reached')
      return stdout.slice(0, 8)
    })
    expect(model.requests).toHaveLength(2)
    const refused = await sluice(['answer', id, '--raise', 'much', ...here])
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('“much” is not an amount'),
    ])
    const answered = await sluice(['answer', id, '--raise', '1M', ...here])
    expect(answered).toMatchObject({
      code: 0,
      stderr: 'sluice: raised the limit to 1,003,000 tokens.\n',
    })
    const { code, stdout } = await running
    expect(code).toBe(0)
    expect(ofType(eventsIn(stdout), 'budget_update').map(({ level }) => level)).toEqual([
      'exceeded',
      'raised',
    ])
    expect(model.requests).toHaveLength(4)

    const set = await sluice(['budget', 'set', 'day', '--max-tokens', '5k', ...here])
    expect(set.stdout).toMatch(/^day: ask at the limit\n {2}7,\d{3} of 5,000 tokens \(1\d\d %\)\n$/)
    const stopped = await run([])
    expect(stopped).toMatchObject({ code: 3, stderr: expect.stringContaining('5,000 tokens') })
    expect(model.requests).toHaveLength(4)
    await server.stop()
  })
})

test.runIf(process.platform === 'linux')(
  'a frozen agent ends with its server, also when the server is killed',
  async () => {
    const directories = createServerDirectories()
    const server = await startServerProcess(directories, {
      args: ['--approve', 'allow', '--budget-session', 'tokens=100'],
    })
    const { client } = server
    const project = await client.projects.create({ name: 'P', path: directories.projects })
    const { id } = await client.sessions.create({ projectId: project.id, agent: 'demo' })
    await client.sessions.prompt(id, 'tool')
    await eventually(async () => expect(await client.approvals.list()).toHaveLength(1))
    expect(await client.budgets.list()).toMatchObject([{ id: 'serve-session', isFixed: true }])
    await expect(client.budgets.remove('serve-session')).rejects.toMatchObject({
      code: 'budget_fixed',
    })
    expect(processesOfSession(id)).not.toEqual([])
    await server.stop('SIGKILL')
    await eventually(() => expect(processesOfSession(id)).toEqual([]))
    directories.remove()
  },
)

describe('the question about a limit in a chat', () => {
  const { title, read } = budgetPrompt({
    budgetId: 'own',
    scope: 'session',
    measure: 'costUsd',
    limit: 5,
    spent: 5.1,
  })

  test.each([
    ['y', { action: 'allow', raise: 5, by: 'person' }],
    ['2.50', { action: 'allow', raise: 2.5, by: 'person' }],
    ['$2', { action: 'allow', raise: 2, by: 'person' }],
    ['n', { action: 'deny', by: 'person' }],
    ['stop', { action: 'deny', by: 'person' }],
    ['more', { problem: expect.any(String) }],
    ['-3', { problem: expect.any(String) }],
    ['', undefined],
  ])('“%s”', (line, answer) => {
    expect(title).toBe('Raise the limit?')
    expect(read(line)).toEqual(answer)
  })
})
