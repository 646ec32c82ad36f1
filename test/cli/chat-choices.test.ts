import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { choicesIn } from '../../src/cli/chat/agent-choices.ts'
import { createAgentCommands } from '../../src/cli/chat/agent-commands.ts'
import { createScreen } from '../../src/cli/chat/screen.ts'
import { createTaskCommands } from '../../src/cli/chat/task-commands.ts'
import { createTerminal } from '../../src/cli/terminal.ts'
import { piSetup } from '../agents/pi.ts'
import { startModel } from '../model/server.ts'
import { agentProgram } from '../support/agent-program.ts'
import { sluice } from '../support/sluice.ts'

describe('in sluice chat', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: ReturnType<typeof piSetup>

  beforeEach(async () => {
    model = await startModel()
    setup = piSetup('0.87', model.url)
    setup.env.PI_BIN = agentProgram(setup)
  })
  afterEach(async () => {
    setup.remove()
    await model.close()
  })

  const chat = (agent: string, input: string, ...args: string[]) => {
    const data = join(setup.cwd, '..', 'data')
    return sluice(['chat', agent, '--cwd', setup.cwd, '--data', data, ...args], {
      env: setup.env,
      input,
    })
  }

  test('!command runs in the shell of Pi, /thinking changes the level, and Pi has no mode', async () => {
    const input = '!echo from the shell; exit 3\n/thinking\n/thinking nonsense\n/mode plan\n'
    const { stdout } = await chat('pi', input, '--model', 'fake/fake-sonnet')
    expect(stdout).toMatch(/● bash.*echo from the shell/)
    expect(stdout).toMatch(/^ +│ from the shell$/m)
    expect(stdout).toContain('Exit code 3')
    expect(stdout).toMatch(/Thinking level: .*\n {2}off\n/)
    expect(stdout).toContain('Pi has no thinking level “nonsense”.')
    expect(stdout).toContain('Pi has no permission modes.')
    expect(model.requests).toHaveLength(0)
  })

  test('a line waits for what the line before it changes', async () => {
    const input = [
      '/switch autoretry off',
      '/model fake/fake-opus',
      '/thinking high',
      `/file ${join(setup.cwd, 'note.txt')}`,
      'scenario:text please',
      '/tasks',
    ]
    const { stdout } = await chat('pi', `${input.join('\n')}\n`, '--model', 'fake/fake-sonnet')
    expect(stdout).toContain('• autoRetry: off')
    expect(stdout).toContain('• Model: fake/fake-opus')
    expect(stdout).toContain('Pi has no tasks that can be listed and stopped.')
    const [request] = model.requests.filter(({ position }) => position)
    const body = JSON.parse(request?.body ?? '')
    expect(body).toMatchObject({ model: 'fake-opus', thinking: { type: 'enabled' } })
    expect(body.thinking.budget_tokens).toBeGreaterThan(8192)
    expect(request?.body).toContain('The note says hello.')
  })

  test('the mode is shown at the start, and /mode lists and changes it', async () => {
    // Its version is all that is needed: a mode that is chosen before the agent runs is stored.
    const program = join(setup.cwd, '..', 'claude')
    writeFileSync(program, '#!/bin/sh\necho "2.1.325 (Claude Code)"\n')
    chmodSync(program, 0o755)
    setup.env.CLAUDE_BIN = program
    const { stdout, code } = await chat('claude', '/mode\n/mode acceptEdits\n', '--mode', 'plan')
    expect(code).toBe(0)
    expect(stdout).toMatch(/session \S+ · mode plan · Enter sends/)
    expect(stdout).toContain('  acceptEdits  Edits files without approval.')
    expect(stdout).toContain('• Permission mode: acceptEdits')
  })
})

test('/tasks lists what runs, and stops it by its id', async () => {
  const printed: string[] = []
  const stopped: string[] = []
  const screen = createScreen(createTerminal(process.stdout, () => {}))
  const commands = createTaskCommands({
    backend: {
      choices: { ...choicesIn({ stopTask: true }), title: 'Any', modes: [] },
      async stopTask(id) {
        stopped.push(id)
        return { outcome: 'accepted' }
      },
    },
    screen: { ...screen, line: (text) => printed.push(text), error: (text) => printed.push(text) },
  })
  const update = (state: 'running' | 'completed') =>
    commands.follow?.({
      ...{ type: 'session_update', sessionId: 's', seq: 1, timestamp: 1 },
      task: { id: 'b1', state, status: state, description: 'The watcher' },
    })
  update('running')
  expect(commands.words()).toContain('/tasks stop b1')
  await commands.run('/tasks')
  await commands.run('/tasks stop b2')
  await commands.run('/tasks stop b1')
  expect(printed).toEqual(['  b1  The watcher', 'No such task runs. List them with /tasks.'])
  expect(stopped).toEqual(['b1'])
  update('completed')
  expect(commands.words()).toEqual(['/tasks'])
})

test('Tab offers the modes and levels that the agent reports', () => {
  const accepted = async () => ({ outcome: 'accepted' as const })
  const commands = createAgentCommands({
    backend: {
      choices: { ...choicesIn({ thinking: ['low'], steer: true }), title: 'Any', modes: [] },
      setMode: accepted,
      setThinking: accepted,
      runShell: accepted,
      stopShell: accepted,
    },
    screen: createScreen(createTerminal(process.stdout, () => {})),
  })
  expect(commands.words()).toEqual(['/thinking', '/thinking low'])
  commands.follow({
    ...{ type: 'session_update', sessionId: 's', seq: 1, timestamp: 1 },
    modes: [{ id: 'plan' }],
  })
  expect(commands.words()).toContain('/mode plan')
})
