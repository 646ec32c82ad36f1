import { spawn } from 'node:child_process'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../../src/agents/agent.ts'
import { claude } from '../../../src/agents/claude/index.ts'
import { demo } from '../../../src/agents/demo/index.ts'
import { all } from '../../log/samples.ts'
import { ofType } from '../../support/decoded.ts'
import { dataDirectory, openDemoSessions } from '../../support/demo-sessions.ts'
import { openLive } from '../../support/live.ts'
import { processesOf } from '../../support/marked.ts'
import { patiently } from '../../support/patiently.ts'

const script = (name: string) => fileURLToPath(new URL(`../agents/${name}.js`, import.meta.url))

/** A session with an agent of our own, driven as another one is. */
const openWith = (agent: Agent, file: string, more: object = {}, world: object = {}) => {
  const { live } = agent
  if (!live) throw new Error('no live agent')
  const args: typeof live.args = (options) => [file, ...live.args(options)]
  const setup = { argv: [process.execPath, '-'], env: {}, cwd: dataDirectory(), remove() {} }
  return openLive({
    agent: { ...agent, live: { ...live, ...more, args } },
    setup,
    model: 'm',
    world: { program: () => process.execPath, env: { ...process.env }, ...world },
  })
}
const stubborn = (more: object = {}, world: object = {}) =>
  openWith(demo, script('stubborn'), more, world)

/** Makes the agent of a session deaf; gives what ends it. */
const halt = (changes: readonly object[]): (() => void) => {
  const [pid] = changes.flatMap((change) => ('pid' in change ? [Number(change.pid)] : []))
  if (!pid) throw new Error('no agent')
  process.kill(pid, 'SIGSTOP')
  return () => void process.kill(pid, 'SIGKILL')
}

const noticesOf = (events: Parameters<typeof ofType>[0]) =>
  ofType(events, 'session_update').flatMap(({ notice }) => notice?.text ?? [])

describe('a session that is just being brought in', () => {
  test('can be aborted', async () => {
    const { begin, log, close } = await openDemoSessions({ directory: dataDirectory(), pace: 50 })
    const { record, session } = await begin()
    const prompted = session.prompt('long')
    await session.abort()
    expect(await prompted).toEqual({ outcome: 'accepted' })
    expect(session.isBusy()).toBe(false)
    await session.idle()
    const events = await all(log.read(record.id, 0))
    expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
    await close()
  })

  test('is waited for by who waits for all', async () => {
    const { begin, log, idle, close } = await openDemoSessions({ directory: dataDirectory() })
    const { record, session } = await begin()
    void session.prompt('think')
    await idle()
    expect(ofType(await all(log.read(record.id, 0)), 'agent_end')).toHaveLength(1)
    await close()
  })
})

test('a prompt that no run comes of does not make a session busy for ever', async () => {
  const session = stubborn({}, { runStartMs: 2 })
  expect(await session.prompt('nothing')).toEqual({ outcome: 'accepted' })
  expect(session.isBusy()).toBe(true)
  await session.idle()
  expect(await session.prompt('something')).toEqual({ outcome: 'accepted' })
  await session.close()
})

test('an agent that does not read is told from one that took the prompt', async () => {
  const session = stubborn({}, { replyMs: 300 })
  await session.setName('Started')
  const wake = halt(session.changes)
  expect(await session.prompt('y'.repeat(900_000))).toEqual({ outcome: 'unanswered' })
  expect(session.isBusy()).toBe(false)
  wake()
  await session.close()
})

test('a prompt that is only written has the same end', async () => {
  const session = stubborn({ queue: 'session' }, { replyMs: 300 })
  await session.setName('Started')
  const wake = halt(session.changes)
  expect(await session.prompt('y'.repeat(900_000))).toEqual({ outcome: 'unanswered' })
  wake()
  await session.close()
})

describe('a follow-up that the session holds', () => {
  test('is part of what idle waits for', async () => {
    const session = openWith(demo, '--no-warnings', { queue: 'session' })
    await session.prompt('think')
    await session.followUp('think')
    await session.idle()
    expect(ofType(session.events, 'agent_end')).toHaveLength(2)
    await session.close()
  })

  test('is not given to an agent that is being stopped: it stays, and that is said', async () => {
    const session = stubborn({ queue: 'session' })
    await session.prompt('work')
    await session.until((event) => event.type === 'agent_start')
    await session.followUp('and then')
    await session.stop()
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'stop' }])
    expect(noticesOf(session.events)).toEqual([
      '1 message is still queued. It will be sent after your next prompt.',
    ])
    expect(ofType(session.events, 'queue_update').at(-1)?.queued.followUp).toEqual(['and then'])
    // The next run takes it along.
    await session.prompt('work again')
    await session.unload('stopped')
    expect(noticesOf(session.events).at(-1)).toBe(
      '1 queued message was lost when the agent ended. Send it again if you still need it.',
    )
    await session.close()
  })
})

describe('Claude Code', () => {
  test('a command that it answers by itself is a run that ends', async () => {
    const session = openWith(claude, script('forgetful'))
    const events = await session.run('/help')
    expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'stop' }])
    expect(session.isBusy()).toBe(false)
    await session.close()
  })

  test('that does not know the conversation begins anew with the same prompt', async () => {
    const session = openWith(claude, script('forgetful'))
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

test('what the agents of a dead server have started is ended when the next one begins', async () => {
  const directory = dataDirectory()
  const first = await openDemoSessions({ directory })
  const { record } = await first.begin()
  await first.close()
  const start = (id: string) => {
    const env = { ...process.env, SLUICE_SESSION: id }
    const child = spawn('sleep', ['60'], { env, detached: true, stdio: 'ignore' })
    return { child, ended: new Promise((resolve) => child.on('exit', (_, how) => resolve(how))) }
  }
  const [ours, others] = [start(record.id), start('of-somebody-else')]
  const second = await openDemoSessions({ directory })
  expect(await ours.ended).toBe('SIGKILL')
  expect(others.child.exitCode ?? others.child.signalCode).toBeNull()
  others.child.kill('SIGTERM')
  expect(await others.ended).toBe('SIGTERM')
  await second.close()
})

test('all agents can be ended at once, also those that do nothing any more', async () => {
  const { begin, kill, close } = await openDemoSessions({ directory: dataDirectory(), pace: 50 })
  const { record, session } = await begin()
  await session.prompt('long')
  const [pid = 0] = processesOf(record.id)
  process.kill(pid, 'SIGSTOP')
  kill()
  await patiently(() => expect(processesOf(record.id)).toEqual([]))
  expect(await session.prompt('more')).toMatchObject({ outcome: 'failed', code: 'closed' })
  await close()
})

describe('a run that is stopped while messages wait', () => {
  const greedy = () => openWith(demo, script('greedy'), { queue: 'session' })
  const queuedIn = (session: ReturnType<typeof greedy>) =>
    ofType(session.events, 'queue_update').at(-1)?.queued
  const isStart = ({ type }: { type: string }) => type === 'agent_start'

  test('leaves them in the queue, and they follow the next run', async () => {
    const session = greedy()
    await session.prompt('obey')
    await session.until(isStart)
    await session.steer('short')
    await session.abort()
    expect(queuedIn(session)).toEqual({ steering: [], followUp: ['short'] })
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

  test('stays stopped, where the agent takes them all the same', async () => {
    const session = greedy()
    await session.prompt('anything')
    await session.until(isStart)
    await session.steer('something else')
    await session.abort()
    await patiently(() =>
      expect(ofType(session.events, 'agent_end').map(({ stopReason }) => stopReason)).toEqual([
        'aborted',
        'aborted',
      ]),
    )
    expect(queuedIn(session)).toEqual({ steering: [], followUp: [] })
    await session.close()
  })
})

test('an agent that does not obey is ended by signals, and each is told', async () => {
  const session = stubborn({}, { abortMs: 50 })
  await session.prompt('something')
  await session.until(({ type }) => type === 'agent_start')
  await session.abort()
  const stages = ofType(session.events, 'session_update').flatMap(({ status }) => status ?? [])
  expect(stages.slice(0, 2)).toEqual(['stopping', 'stopping (SIGINT)'])
  expect(ofType(session.events, 'agent_end')).toHaveLength(1)
  expect(session.isBusy()).toBe(false)
  await session.close()
})

test('a prompt that comes while the agent is being ended starts another one', async () => {
  const session = openWith(demo, '--no-warnings', { queue: 'session' })
  await session.run('think')
  const stopped = session.stop()
  await setImmediate() // it gets no more input from now on
  expect(await session.prompt('think')).toEqual({ outcome: 'accepted' })
  await stopped
  await session.idle()
  expect(ofType(session.events, 'agent_end')).toHaveLength(2)
  await session.close()
})
