import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { connectToServer } from '../../../src/cli/connect-to-server.ts'
import { piSetup } from '../../agents/pi.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import { eventually } from '../../support/eventually.ts'
import { root, sluice } from '../../support/sluice.ts'

/** `sluice loop` without a server, with the real Pi over a scripted model. */
describe('sluice loop', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: ReturnType<typeof piSetup>
  let data: string
  beforeEach(async () => {
    model = await startModel()
    setup = piSetup('0.87', model.url)
    setup.env.PI_BIN = agentProgram(setup)
    data = join(setup.cwd, '..', 'data')
  })
  afterEach(async () => {
    await model.close()
    setup.remove()
  })

  const where = () => ['--data', data, '--cwd', setup.cwd, '--sandbox', 'off']
  const pi = (prompt: string) => [
    ...['loop', 'pi', '--model', 'fake/fake-sonnet', '--prompt', prompt, ...where()],
  ]
  const run = (args: readonly string[]) => sluice(args, { env: setup.env, cwd: setup.cwd })
  const list = async () => (await connectToServer(data)?.loops.list()) ?? []
  const promptFile = () => join(setup.cwd, 'PROMPT.md')
  /** Starts a loop and waits until its agent works. */
  const startSlow = async () => {
    writeFileSync(promptFile(), 'scenario:slow please')
    const wanted = ['loop', 'pi', '--model', 'fake/fake-sonnet', '--prompt-file', promptFile()]
    const args = [join(root, 'src/cli/main.js'), ...wanted, ...where()]
    const child = spawn(process.execPath, args, { env: setup.env, cwd: setup.cwd })
    onTestFinished(() => void child.kill('SIGKILL'))
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    const sessionId = await eventually(async () => {
      const found = (await list())[0]?.iterations[0]
      expect(found).toBeDefined()
      const session = await connectToServer(data)?.sessions.get(found?.sessionId ?? '')
      expect(session?.seq).toBeGreaterThan(10)
      return found?.sessionId ?? ''
    })
    const exited = new Promise<number | null>((resolve) => child.on('close', resolve))
    return { child, sessionId, exited, output: () => stdout }
  }

  test('prints one line for each iteration, and exits with 0 for the promise', async () => {
    const { code, stdout, stderr } = await run(pi('scenario:loop please'))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toEqual([
      expect.stringMatching(/^Loop [\da-f]{8}: pi, scenario:loop please, in \//),
      expect.stringMatching(/^#1 +completed +1 turn +\$0\.00\d\d +[\d.]+ m?s +ctx 1 %$/),
      expect.stringMatching(/^#2 +completed /),
      expect.stringMatching(/^#3 +promise /),
      'Done: The agent printed “LOOP_COMPLETE”.',
      expect.stringMatching(/^3 iterations · \$0\.0\d{3} · 5\.\dk tokens · [\d.]+ m?s$/),
    ])
  })

  test('survives kill -9: the next one resumes it, and reads the prompt again', async () => {
    const slow = await startSlow()
    slow.child.kill('SIGKILL')
    await slow.exited
    writeFileSync(promptFile(), 'scenario:promise please')
    const { code, stdout } = await run(['loop', '--resume', ...where()])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^#1 +interrupted .*\n.*\n#2 +promise /m)
  })

  test('another terminal pauses it, and reads what it did', async () => {
    const slow = await startSlow()
    const [loop] = await list()
    const paused = await run(['loop', 'pause', '--now', loop?.id.slice(0, 6) ?? '', '--data', data])
    expect(paused).toMatchObject({ code: 0, stdout: expect.stringContaining('Paused.') })
    expect(await slow.exited).toBe(10)
    expect(slow.output()).toContain(`sluice loop --resume ${loop?.id.slice(0, 8)}`)
    const listed = await run(['loop', 'list', '--json', '--data', data])
    expect(JSON.parse(listed.stdout)).toMatchObject({ id: loop?.id, state: 'paused' })
    const stopped = await run(['loop', 'stop', loop?.id ?? '', '--data', data])
    expect(stopped).toMatchObject({ code: 0, stdout: expect.stringContaining('stopped the loop') })
  })

  test('another terminal steers the run of its iteration, and aborts it', async () => {
    const slow = await startSlow()
    const id = slow.sessionId.slice(0, 8)
    const steered = await run(['steer', id, 'Only the first file.', '--data', data])
    expect(steered).toMatchObject({ code: 0, stderr: '' })
    expect(steered.stdout).toMatch(`Sent to ${id} (`)
    const queue = await connectToServer(data)?.sessions.queue(slow.sessionId)
    expect(queue?.items.map(({ text }) => text)).toEqual(['Only the first file.'])
    const aborted = await run(['abort', id, '--data', data])
    expect(aborted.stdout).toMatch(`Stopping the run of ${id} (`)
    expect(await slow.exited).toBe(10)
    expect(slow.output()).toMatch(/^#1 +aborted /m)
  })

  test('another terminal stops it', async () => {
    const slow = await startSlow()
    const [loop] = await list()
    const paused = await run(['loop', 'pause', loop?.id ?? '', '--data', data])
    expect(paused).toMatchObject({ code: 0, stdout: 'The loop pauses after this iteration.\n' })
    const stopped = await run(['loop', 'stop', loop?.id ?? '', '--data', data])
    expect(stopped).toMatchObject({ code: 0, stdout: expect.stringContaining('stopped the loop') })
    expect(await slow.exited).toBe(11)
  })

  test('waits for a loop that another terminal has started in its process', async () => {
    const slow = await startSlow()
    const [own] = await list()
    const other = run([...pi('scenario:text please'), '--every', '1s', '--max-iterations', '3'])
    await eventually(async () => expect(await list()).toHaveLength(2))
    await run(['loop', 'stop', own?.id ?? '', '--data', data])
    expect(await other).toMatchObject({ code: 8, stdout: expect.stringMatching(/^#3 +completed/m) })
    expect(await slow.exited).toBe(11)
  })

  test('Ctrl-C pauses it', async () => {
    const slow = await startSlow()
    slow.child.kill('SIGINT')
    expect(await slow.exited).toBe(130)
    expect(slow.output()).toContain('Paused.')
  })

  test('prints every event as JSON, and what changed in the loop', async () => {
    const { code, stdout } = await run([
      ...pi('scenario:text please'),
      ...limits,
      '--out',
      'events',
    ])
    expect(code).toBe(3)
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const own = events.filter(({ seq }) => seq !== undefined)
    expect(own.map(({ seq }) => seq)).toEqual(own.map((_, index) => index + 1))
    expect(own.some(({ type }) => type === 'agent_end')).toBe(true)
    expect(events.at(-1)).toMatchObject({
      type: 'loop_updated',
      loop: { state: 'done', end: { reason: 'max_iterations' } },
    })
  })
  const limits = ['--max-iterations', '1']

  test.each([
    [['loop'], 'Name an agent'],
    [['loop', 'pi', '--prompt', 'a', '--cron', 'sometimes'], 'not valid'],
    [['loop', 'pi', '--prompt', 'a', '--detach'], '--detach needs a server'],
  ])('%j is refused', async (args, reason) => {
    const { code, stderr } = await run([...args, ...where()])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(reason) })
  })

  test('a directory without a log has no loops, and is not created', async () => {
    const nowhere = join(setup.cwd, 'nowhere')
    const { code, stdout } = await run(['loop', 'list', '--data', nowhere])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'No loops yet. Start one with `sluice loop`.\n',
    })
    expect(existsSync(nowhere)).toBe(false)
  })

  test('a loop that cannot be resumed is the only thing that is reported', async () => {
    const ended = await run([...pi('scenario:text please'), ...limits])
    expect(ended.stdout).toMatch(/Resume it with: .* --max-iterations <more>\n$/)
    const { code, stderr } = await run(['loop', '--resume', 'zzzz', ...where()])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'sluice: There is no loop zzzz. List them with: sluice loop list\n',
    })
  })
})
