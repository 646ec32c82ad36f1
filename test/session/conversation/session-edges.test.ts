import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import { demo } from '../../../src/agents/demo/index.ts'
import type { Live } from '../../../src/agents/live.ts'
import { markedCall, markKeyOf, newMark, newMarkKey } from '../../../src/process/process-marks.ts'
import { all } from '../../log/samples.ts'
import { ofType } from '../../support/decoded.ts'
import { dataDirectory, openDemoSessions } from '../../support/demo-sessions.ts'
import { eventually } from '../../support/eventually.ts'
import { openLiveSession } from '../../support/live-session.ts'
import { processesOfSession } from '../../support/session-processes.ts'
import { root } from '../../support/sluice.ts'

const script = (name: string) => join(root, 'test/session/agents', `${name}.js`)

/** A session with a script in place of an agent, driven like that agent. */
const openWith = (
  agent: typeof demo,
  file: string,
  more: Partial<Live> = {},
  deps: object = {},
) => {
  const { live } = agent
  if (!live) throw new Error('no live agent')
  const args: typeof live.args = (options) => [file, ...live.args(options)]
  return openLiveSession({
    agent: { ...agent, live: { ...live, ...more, args } },
    setup: { argv: [process.execPath, '-'], env: {}, cwd: dataDirectory(), remove() {} },
    model: 'm',
    deps: { program: () => process.execPath, env: { ...process.env }, ...deps },
  })
}
const openDisobedient = (more?: Partial<Live>, deps?: object) =>
  openWith(demo, script('ignores-abort'), more, deps)

/** Stops a session’s agent from reading; returns a function that kills it. */
const freezeAgent = (changes: readonly object[]): (() => void) => {
  const [pid] = changes.flatMap((change) => ('pid' in change ? [Number(change.pid)] : []))
  if (!pid) throw new Error('no agent')
  process.kill(pid, 'SIGSTOP')
  return () => void process.kill(pid, 'SIGKILL')
}

const noticesOf = (events: Parameters<typeof ofType>[0]) =>
  ofType(events, 'session_update').flatMap(({ notice }) => notice?.text ?? [])

describe('a session that is being loaded', () => {
  test('can be aborted', async () => {
    const { createDemoSession, log, close } = await openDemoSessions({
      directory: dataDirectory(),
      pace: 50,
    })
    const { record, session } = await createDemoSession()
    const prompted = session.prompt('long')
    await session.abort()
    expect(await prompted).toEqual({ outcome: 'accepted' })
    expect(session.isBusy()).toBe(false)
    await session.idle()
    const events = await all(log.read(record.id, 0))
    expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
    await close()
  })

  test('counts as busy for `idle`', async () => {
    const { createDemoSession, log, idle, close } = await openDemoSessions({
      directory: dataDirectory(),
    })
    const { record, session } = await createDemoSession()
    void session.prompt('think')
    await idle()
    expect(ofType(await all(log.read(record.id, 0)), 'agent_end')).toHaveLength(1)
    await close()
  })
})

test('a prompt that the agent does not read is reported as unanswered, and fails with the agent', async () => {
  const session = openDisobedient({}, { replyMs: 300 })
  await session.setName('Started')
  const killAgent = freezeAgent(session.changes)
  expect(await session.prompt('y'.repeat(900_000))).toEqual({ outcome: 'unanswered' })
  expect(session.isBusy()).toBe(true)
  killAgent()
  await session.idle()
  const reason = { code: 'agent_exit', message: expect.stringContaining('SIGKILL') }
  expect(ofType(session.events, 'message_delivery')).toMatchObject([{ state: 'failed', reason }])
  await session.close()
})

test('so is a prompt to an agent that does not confirm prompts', async () => {
  const session = openDisobedient({ queue: 'session' }, { replyMs: 300 })
  await session.setName('Started')
  const killAgent = freezeAgent(session.changes)
  expect(await session.prompt('y'.repeat(900_000))).toEqual({ outcome: 'unanswered' })
  killAgent()
  await session.close()
})

describe('a follow-up in the session’s queue', () => {
  test('is answered before `idle` resolves', async () => {
    const session = openWith(demo, '--no-warnings', { queue: 'session' })
    await session.prompt('think')
    await session.followUp('think')
    await session.idle()
    expect(ofType(session.events, 'agent_end')).toHaveLength(2)
    await session.close()
  })

  test('is not sent to an agent that is being stopped: it stays queued, with a notice', async () => {
    const session = openDisobedient({ queue: 'session' })
    await session.prompt('work')
    await session.until((event) => event.type === 'agent_start')
    await session.followUp('and then')
    await session.stop()
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'stop' }])
    expect(noticesOf(session.events)).toEqual([
      '1 message is still queued. It will be sent after your next prompt.',
    ])
    expect(ofType(session.events, 'queue_update').at(-1)?.queued.followUp).toEqual(['and then'])
    // It also stays queued when the session leaves memory.
    await session.prompt('work again')
    await session.unload('stopped')
    expect(noticesOf(session.events).at(-1)).toBe(
      '1 message is still queued. It will be sent after your next prompt.',
    )
    await session.close()
  })
})

describe('Claude Code', () => {
  test('answers a command of its own with a run that ends', async () => {
    const session = openWith(claude, script('no-history'))
    const events = await session.run('/help')
    expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'stop' }])
    expect(session.isBusy()).toBe(false)
    await session.close()
  })

  test('that has no record of its conversation gets the same prompt in a new one', async () => {
    const session = openWith(claude, script('no-history'))
    await session.run('first')
    await session.stop()
    const from = session.events.length
    await session.prompt('second')
    await session.until((event) => event.type === 'agent_end' && event.stopReason === 'stop', from)
    expect(noticesOf(session.events)).toContain(
      'The agent has no record of this conversation. It starts a new one, without the earlier messages.',
    )
    expect(JSON.stringify(session.events.slice(from))).toContain('"text":"second"')
    await session.close()
  })
})

const openShell = () => openWith(demo, join(root, 'test/support/shell-agent.js'))
const shellPrompt = (then: string) => JSON.stringify({ then })

test('processes that agents of a crashed server left are killed at the next start', async () => {
  const directory = dataDirectory()
  const start = (key: number) => {
    const { program, args } = markedCall({ program: 'sleep', args: ['60'] }, newMark(key))
    const child = spawn(program, args, { detached: true, stdio: 'ignore' })
    return { child, ended: new Promise((resolve) => child.on('exit', (_, by) => resolve(by))) }
  }
  const [ours, others] = [start(markKeyOf(directory)), start(newMarkKey())]
  // The mark is there when the shell has become the program.
  for (const { child } of [ours, others])
    await eventually(() => expect(commandOf(child.pid)).toMatch(/^sleep/))
  const sessions = await openDemoSessions({ directory, data: directory })
  expect(await ours.ended).toBe('SIGKILL')
  expect(others.child.exitCode ?? others.child.signalCode).toBeNull()
  others.child.kill('SIGTERM')
  expect(await others.ended).toBe('SIGTERM')
  await sessions.close()
})

const commandOf = (pid = 0): string =>
  spawnSync('ps', ['-o', 'args=', '-p', `${pid}`], { encoding: 'utf8' }).stdout

test('kill ends all agents at once, also those that hang', async () => {
  const { createDemoSession, kill, close } = await openDemoSessions({
    directory: dataDirectory(),
    pace: 50,
  })
  const { record, session } = await createDemoSession()
  await session.prompt('long')
  const [pid = 0] = processesOfSession(record.id)
  process.kill(pid, 'SIGSTOP')
  kill()
  await eventually(() => expect(processesOfSession(record.id)).toEqual([]))
  expect(await session.prompt('more')).toMatchObject({ outcome: 'failed', code: 'closed' })
  await close()
})

describe('a run that is aborted while messages are queued', () => {
  const openDemo = () => openWith(demo, script('accepts-after-abort'), { queue: 'session' })
  const queuedIn = (session: ReturnType<typeof openDemo>) =>
    ofType(session.events, 'queue_update').at(-1)?.queued
  const isStart = ({ type }: { type: string }) => type === 'agent_start'

  test('leaves them in the queue until the next run has ended', async () => {
    const session = openDemo()
    await session.prompt('obey')
    await session.until(isStart)
    await session.steer('short')
    await session.abort()
    expect(queuedIn(session)).toMatchObject({ steering: [], followUp: ['short'] })
    expect(noticesOf(session.events)).toContain(
      '1 message is still queued. It will be sent after your next prompt.',
    )
    await session.prompt('short')
    await session.idle()
    expect(queuedIn(session)).toEqual({ steering: [], followUp: [] })
    expect(ofType(session.events, 'agent_end').map(({ stopReason }) => stopReason)).toEqual([
      'aborted',
      'stop',
      'stop',
    ])
    await session.close()
  })

  test('is aborted again if the agent starts a run with them', async () => {
    const session = openDemo()
    await session.prompt('anything')
    await session.until(isStart)
    await session.steer('something else')
    await session.abort()
    await eventually(() =>
      expect(ofType(session.events, 'agent_end').map(({ stopReason }) => stopReason)).toEqual([
        'aborted',
        'aborted',
      ]),
    )
    expect(queuedIn(session)).toEqual({ steering: [], followUp: [] })
    await session.close()
  })
})

test('an agent that ignores an abort is ended by signals, and each is reported', async () => {
  const session = openDisobedient({}, { abortMs: 50 })
  await session.prompt('something')
  await session.until(({ type }) => type === 'message_delivery')
  await session.abort()
  const stages = ofType(session.events, 'session_update').flatMap(({ status }) => status ?? [])
  expect(stages.slice(0, 2)).toEqual(['stopping', 'stopping (SIGINT)'])
  expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
  // The agent never echoed its prompt, but it has worked.
  expect(ofType(session.events, 'message_delivery')).toMatchObject([{ state: 'taken' }])
  expect(session.isBusy()).toBe(false)
  await session.close()
})

test('an agent that ignores an abort and every signal is ended in seconds', async () => {
  const session = openShell()
  await session.prompt(shellPrompt('ignore'))
  await session.until(({ type }) => type === 'agent_start')
  const before = performance.now()
  await session.abort()
  // Five seconds for the agent’s own protocol and two for signals; the rest is for a slow machine.
  expect(performance.now() - before).toBeLessThan(15_000)
  const stages = ofType(session.events, 'session_update').flatMap(({ status }) => status ?? [])
  expect(stages).toContain('stopping (SIGKILL)')
  expect(session.isBusy()).toBe(false)
  await session.close()
})

test('an agent that closes its output and lives on is ended, with an error', async () => {
  const session = openShell()
  await session.prompt(shellPrompt('close'))
  expect(await session.until((event) => event.type === 'error')).toMatchObject({
    code: 'agent_exit',
    message: 'Demo closed its output and kept running, so it was ended.',
  })
  await session.until(({ type }) => type === 'agent_end')
  await eventually(() => expect(session.isAlive()).toBe(false))
  await session.close()
})

test('a prompt while the agent is being stopped starts a new process', async () => {
  const session = openWith(demo, '--no-warnings', { queue: 'session' })
  await session.run('think')
  const stopped = session.stop()
  await setImmediate() // now its input is closed
  expect(await session.prompt('think')).toEqual({ outcome: 'accepted' })
  await stopped
  await session.idle()
  expect(ofType(session.events, 'agent_end')).toHaveLength(2)
  await session.close()
})
