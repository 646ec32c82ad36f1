import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { pi } from '../../../src/agents/pi/index.ts'
import type { StampedEvent, StartOptions } from '../../../src/events/types.ts'
import { fieldsOf, listOf } from '../../../src/shared/fields.ts'
import { type PiVersion, piSetup } from '../../agents/pi.ts'
import { type Model, startModel } from '../../model/server.ts'
import {
  type LiveSession,
  type LiveSessionOptions,
  openLiveSession,
} from '../../support/live-session.ts'

let model: Model
const open: { close(): Promise<void> }[] = []

beforeAll(async () => {
  model = await startModel()
})
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})
afterAll(() => model.close())

const setUpPi = (
  version: PiVersion,
  start: StartOptions = {},
  deps: LiveSessionOptions['deps'] = {},
): LiveSession => {
  const setup = piSetup(version, model.url)
  const session = openLiveSession({ agent: pi, setup, model: 'fake/fake-sonnet', start, deps })
  const close = () => session.close().finally(() => setup.remove())
  return { ...session, close }
}
/** A session of one test. */
const openPi = (...args: Parameters<typeof setUpPi>): LiveSession => {
  const session = setUpPi(...args)
  open.push(session)
  return session
}

/** What the model received last. */
const lastRequest = () => fieldsOf(JSON.parse(model.requests.at(-1)?.body ?? '{}'))

const shellOf = (event: StampedEvent) => (event.type === 'session_update' ? event.shell : undefined)

/** What the model receives proves that a setting holds. */
describe.each(['0.73', '0.87'] as const)('Pi %s', { timeout: 30_000 }, (version) => {
  /** Its process starts once for the tests that start it in the same way. */
  let session: LiveSession
  beforeAll(() => {
    session = setUpPi(version)
  })
  afterAll(() => session.close())

  test('switches its automatic compaction and retries off and on', async () => {
    for (const [name, isOn] of [
      ['autoRetry', false],
      ['autoCompaction', false],
      ['autoCompaction', true],
    ] as const) {
      const from = session.events.length
      expect(await session.setSwitch(name, isOn)).toEqual({ outcome: 'accepted' })
      await session.until((event) => event.type === 'session_update' && event[name] === isOn, from)
    }
    // A failed call of the model is not made again.
    const before = model.requests.length
    const failed = await session.run('scenario:retry please')
    expect(failed.filter(({ type }) => type === 'auto_retry_start')).toEqual([])
    const requests = model.requests.slice(before)
    expect(requests.filter(({ path }) => path.includes('/messages'))).toHaveLength(1)
  })

  test('runs a shell command, whose output the model gets, and one at a time', async () => {
    const running = session.runShell('echo one; sleep 0.3; exit 3')
    expect(await session.runShell('echo two')).toMatchObject({ outcome: 'refused' })
    expect(await running).toEqual({ outcome: 'accepted' })
    await session.until((event) => shellOf(event)?.exitCode === 3)
    await session.run('scenario:text please')
    expect(JSON.stringify(lastRequest().messages)).toContain('echo one')
    expect(JSON.stringify(lastRequest().messages)).not.toContain('echo two')
  })

  test('stops a shell command, also one that it has not started yet', async () => {
    // The process runs, so that the stop follows the command at once.
    for (const isEarly of [true, false]) {
      const from = session.events.length
      const running = session.runShell('sleep 60')
      if (!isEarly) await session.until((event) => shellOf(event) !== undefined, from)
      expect(await session.stopShell()).toEqual({ outcome: 'accepted' })
      await session.until((event) => shellOf(event)?.cancelled === true, from)
      expect(await running).toEqual({ outcome: 'accepted' })
    }
  })

  test('stops a shell command while the agent is still starting', async () => {
    let checkpoints = 0
    const onCheckpoint = () => {
      checkpoints += 1
    }
    const session = openPi(version, {}, { onCheckpoint })
    const running = session.runShell('sleep 60')
    expect(await session.stopShell()).toEqual({ outcome: 'accepted' })
    await session.until((event) => shellOf(event)?.cancelled === true)
    expect(await running).toEqual({ outcome: 'accepted' })
    // After a crash, the server reads from the last checkpoint on, and must find the command.
    expect(checkpoints).toBe(0)
  })

  test('starts with a thinking level, its only tools and an addition to its prompt', async () => {
    const start = { thinkingLevel: 'high', allowedTools: ['read'], appendSystemPrompt: 'Sing.' }
    const session = openPi(version, start)
    await session.run('scenario:text please')
    const { tools, system, thinking } = lastRequest()
    expect(listOf(tools).map((tool) => fieldsOf(tool).name)).toEqual(['read'])
    expect(JSON.stringify(system)).toContain('Sing.')
    expect(fieldsOf(thinking).type).toBe('enabled')
    const { budget_tokens: high } = fieldsOf(thinking)
    expect(await session.setThinking('low')).toEqual({ outcome: 'accepted' })
    await session.run('scenario:text please')
    expect(Number(fieldsOf(lastRequest().thinking).budget_tokens)).toBeLessThan(Number(high))
    expect(await session.setThinking('off')).toEqual({ outcome: 'accepted' })
    await session.run('scenario:text please')
    expect(fieldsOf(lastRequest().thinking).type).not.toBe('enabled')
  })

  test('starts with another system prompt', async () => {
    const session = openPi(version, { systemPrompt: 'You are a poet.' })
    await session.run('scenario:text please')
    expect(JSON.stringify(lastRequest().system)).toContain('You are a poet.')
    expect(JSON.stringify(lastRequest().system)).not.toContain('expert coding assistant')
  })
})

test('Pi 0.87 starts without the tools that it must not use', async () => {
  const session = openPi('0.87', { deniedTools: ['bash', 'edit'] })
  await session.run('scenario:text please')
  const names = listOf(lastRequest().tools).map((tool) => fieldsOf(tool).name)
  expect(names).toContain('read')
  expect(names).not.toContain('bash')
  expect(names).not.toContain('edit')
})
