import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { piSetup } from '../agents/pi.ts'
import { startModel } from '../model/server.ts'
import { agentProgram } from '../support/agent-program.ts'
import { eventsIn, ofType, textOf } from '../support/decoded.ts'
import { type SluiceOptions, sluice } from '../support/sluice.ts'

/** The real Pi, in its last old and its newest whole release, before a scripted model. */
describe.each(['0.73', '0.87'] as const)('sluice run pi %s', (version) => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: ReturnType<typeof piSetup>

  beforeEach(async () => {
    model = await startModel()
    setup = piSetup(version, model.url)
    setup.env.PI_BIN = agentProgram(setup)
  })
  afterEach(async () => {
    setup.remove()
    await model.close()
  })

  const runPi = async (scenario: string, options: SluiceOptions = {}) => {
    const args = [
      'run',
      'pi',
      `scenario:${scenario} please`,
      '--out',
      'events',
      '--model',
      'fake/fake-sonnet',
    ]
    const ran = await sluice([...args, '--cwd', setup.cwd, '--', '--no-session'], {
      env: setup.env,
      ...options,
    })
    return { ...ran, events: eventsIn(ran.stdout) }
  }

  test('text', async () => {
    const { code, events } = await runPi('text')
    expect(code).toBe(0)
    expect(textOf(events)).not.toBe('')
    expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'stop' })
    const usage = ofType(events, 'usage_update').at(-1)
    expect(usage?.totals.costUsd).toBeGreaterThan(0)
  })

  test('thinking', async () => {
    const { events } = await runPi('thinking')
    const thought = ofType(events, 'message_update').filter(
      (event) => event.assistantMessageEvent.type === 'thinking_delta',
    )
    expect(thought.length).toBeGreaterThan(0)
  })

  test('a tool, with its output live', async () => {
    const { code, events } = await runPi('tool')
    expect(code).toBe(0)
    expect(
      ofType(events, 'tool_execution_update')
        .map((event) => event.outputDelta)
        .join(''),
    ).toBe('hello\n')
    expect(ofType(events, 'tool_execution_end')[0]).toMatchObject({ isError: false })
    expect(ofType(events, 'turn_end')).toHaveLength(2)
  })

  test('three tools at once, kept apart', async () => {
    const { events } = await runPi('parallel')
    const ends = ofType(events, 'tool_execution_end').map((event) => event.toolCallId)
    const calls = ofType(events, 'tool_call').map((event) => event.toolCallId)
    expect(ends.toSorted()).toEqual(calls.toSorted())
    expect(ends).not.toEqual(calls)
  })

  test('a tool that fails, with its exit code', async () => {
    const { code, events } = await runPi('tool-fail')
    expect(code).toBe(0)
    expect(ofType(events, 'tool_execution_end')[0]).toMatchObject({ isError: true, exitCode: 3 })
  })

  test('a retry withdraws the failed text', async () => {
    const { code, events } = await runPi('retry-midstream')
    expect(code).toBe(0)
    expect(ofType(events, 'auto_retry_start')).toHaveLength(1)
    expect(ofType(events, 'message_withdrawn')).toHaveLength(1)
    expect(ofType(events, 'agent_end')).toHaveLength(1)
  })

  test('--out text prints the final text, or on stderr why there is none', async () => {
    const runText = (prompt: string, ...more: string[]) => {
      const args = ['run', 'pi', prompt, '--out', 'text', '--model', 'fake/fake-sonnet']
      const extra = ['--cwd', setup.cwd, ...more, '--', '--no-session']
      return sluice([...args, ...extra], { env: setup.env })
    }
    // A prompt may begin with a dash.
    expect(await runText('- scenario:tool please')).toMatchObject({ code: 0, stdout: 'It ran.\n' })
    expect(model.requests.at(-1)?.body).toContain('- scenario:tool please')
    const failed = await runText('scenario:error please')
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toContain('The request is not valid')
  })

  test('an error of the model makes the exit code 1', async () => {
    const { code, events } = await runPi('error')
    expect(code).toBe(1)
    expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'error' })
  })

  test('characters that deltas split arrive whole', async () => {
    const { events } = await runPi('unicode')
    expect(textOf(events)).toContain('😀')
    expect(JSON.stringify(ofType(events, 'message_update'))).not.toMatch(/\\ud[89a-f]/i)
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s stops the agent and its tool, and closes the run', async (signal, exitCode) => {
    let stopped = false
    const { code, events, stderr } = await runPi('slow-tool', {
      onStdout(child, stdout) {
        if (stopped || !stdout.includes('"outputDelta":"started')) return
        stopped = true
        child.kill(signal)
      },
    })
    expect(code).toBe(exitCode)
    expect(stderr).toContain('stopping (SIGTERM)')
    expect(events.at(-1)).toMatchObject({ type: 'agent_end', interrupted: true })
    expect(ofType(events, 'tool_execution_end')[0]).toMatchObject({ interrupted: true })
  })
})
