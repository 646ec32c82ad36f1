import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { processTable } from '../../src/process/process-table.ts'
import { claudeSetup, installedClaudes } from '../agents/claude.ts'
import { piSetup } from '../agents/pi.ts'
import type { AgentSetup } from '../agents/sandbox.ts'
import { startModel } from '../model/server.ts'
import { agentProgram } from '../support/agent-program.ts'
import { findBubblewrap } from '../support/bubblewrap.ts'
import { descendantsOf } from '../support/descendants.ts'
import { eventually } from '../support/eventually.ts'
import { root } from '../support/sluice.ts'

const installed = installedClaudes()
if (installed.length === 0) console.log('skipped: CLAUDE_BINS names no Claude Code')
const { path, reason } = await findBubblewrap()
if (reason !== undefined) console.log(`skipped: agents in the sandbox: ${reason}`)

const isRunning = (pid: number) => processTable.startTimeOf(pid) !== undefined

describe('a killed Sluice leaves no process behind', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  beforeEach(async () => {
    model = await startModel()
  })
  afterEach(() => model.close())

  /** Runs Sluice until it prints a text, kills it, and waits for the end of all it has started. */
  const killAfter = async (text: string, args: string[], setup: AgentSetup, input = '') => {
    const env = { ...setup.env, PATH: path }
    const sluice = spawn(process.execPath, [join(root, 'src/cli/main.js'), ...args], { env })
    let printed = ''
    for (const output of [sluice.stdout, sluice.stderr])
      output.setEncoding('utf8').on('data', (more: string) => {
        printed += more
      })
    onTestFinished(() => void sluice.kill('SIGKILL'))
    sluice.stdin.write(input)
    // On a busy machine, the agent takes long to start.
    await vi.waitFor(() => expect(printed).toContain(text), { timeout: 90_000 })
    const started = descendantsOf(sluice.pid ?? 0)
    expect(started).not.toEqual([])
    sluice.kill('SIGKILL')
    await eventually(() => expect(started.filter(isRunning)).toEqual([]))
  }

  const pi = () => {
    const setup = piSetup('0.87', model.url)
    setup.env.PI_BIN = agentProgram(setup)
    onTestFinished(setup.remove)
    return setup
  }
  const runPi = (setup: AgentSetup, scenario: string, sandbox: string) => [
    ...['run', 'pi', `scenario:${scenario} please`, '--out', 'events', '--sandbox', sandbox],
    ...['--model', 'fake/fake-sonnet', '--cwd', setup.cwd, '--', '--no-session'],
  ]

  test('`sluice run` while the model is silent', async () => {
    const setup = pi()
    await killAfter('silence', runPi(setup, 'hang', 'off'), setup)
  })

  test('`sluice run` while a tool runs, which has a session of its own', async () => {
    const setup = pi()
    await killAfter('started\\n', runPi(setup, 'slow-tool', 'off'), setup)
  })

  test.skipIf(reason !== undefined)('`sluice run` in the sandbox', async () => {
    const setup = pi()
    await killAfter('started\\n', runPi(setup, 'slow-tool', 'on'), setup)
  })

  test('`sluice chat`', async () => {
    const setup = pi()
    const data = join(setup.cwd, '..', 'data')
    const args = ['chat', 'pi', '--cwd', setup.cwd, '--data', data, '--model', 'fake/fake-sonnet']
    await killAfter('silence', [...args, '--sandbox', 'off'], setup, 'scenario:hang please\n')
  })

  test.each(installed)('`sluice run` with Claude Code $version', async ({ bin }) => {
    const { setup } = claudeSetup(model.url, bin)
    if (!setup) throw new Error('Claude Code went away')
    onTestFinished(setup.remove)
    setup.env.CLAUDE_BIN = bin
    const args = [
      ...['run', 'claude', 'scenario:hang please', '--out', 'events', '--sandbox', 'off'],
      ...['--model', 'claude-sonnet-4-5', '--cwd', setup.cwd],
    ]
    await killAfter('silence', args, setup)
  })
})
