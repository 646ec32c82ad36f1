import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createReplayClock } from '../../src/cli/replay/replay-clock.ts'
import { eventsInFile } from '../../src/cli/replay/replay-source.ts'
import { createStamp } from '../../src/events/stamp.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { openSqliteLog } from '../../src/log/sqlite/sqlite-log.ts'
import { ptyMaker, startInTerminal } from '../support/pty.ts'
import { recordings } from '../support/recordings.ts'
import { root, sluice } from '../support/sluice.ts'

const directory = mkdtempSync(join(tmpdir(), 'sluice-replay-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const data = join(directory, 'data')
const main = join(root, 'src/cli/main.js')

const said = (messageId: string, text: string): AgentEvent[] => [
  { type: 'message_start', messageId, messageRole: 'assistant' },
  {
    type: 'message_update',
    messageId,
    assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: text },
  },
  {
    type: 'message_end',
    messageId,
    message: { role: 'assistant', content: [{ type: 'text', text }] },
  },
]

const events: AgentEvent[] = [
  { type: 'session_start', agent: 'demo' },
  { type: 'agent_start' },
  ...said('m1', 'The first message. \u001b]0;title\u0007'),
  ...said('m2', 'The second message.'),
  { type: 'agent_end', stopReason: 'stop' },
]

beforeAll(async () => {
  const log = await openSqliteLog(data)
  await log.sessions.create({
    ...{ id: '3f2a0000-0000-4000-8000-000000000001', agent: 'demo', cwd: '/tmp', state: 'idle' },
    ...{ createdAt: 1, updatedAt: 1, name: 'Talk' },
  })
  let now = 1_700_000_000_000
  const stamp = createStamp('3f2a0000-0000-4000-8000-000000000001', () => (now += 60_000))
  await log.append('3f2a0000-0000-4000-8000-000000000001', events.map(stamp))
  await log.close()
})

describe('in a pipe', () => {
  test('a session is printed at once, cleaned, with the duration that it had', async () => {
    const { code, stdout, stderr } = await sluice(['replay', 'Talk', '--data', data])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('The first message.')
    expect(stdout).toContain('The second message.')
    expect(stdout).not.toContain('\u001b')
    expect(stdout).toContain('Duration 8 m')
  })

  test('a file of export, and a file of events', async () => {
    const file = join(directory, 'talk.sluice')
    await sluice(['export', '3f2a', '-o', file, '--data', data])
    const printed = await sluice(['replay', file, '--out', 'events', '--data', directory])
    const lines = printed.stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(events.map(({ type }) => type))
    const plain = join(directory, 'talk.jsonl')
    writeFileSync(plain, printed.stdout)
    const again = await sluice(['replay', plain, '--out', 'events'])
    expect(again.stdout).toBe(printed.stdout)
  })

  test('--step needs a terminal, and an unknown source is an error', async () => {
    expect(await sluice(['replay', '3f2a', '--step', '--data', data])).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('needs a terminal') },
    })
    const text = join(directory, 'text')
    writeFileSync(text, 'hello\nworld\n')
    expect(await sluice(['replay', text])).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('Name the agent with --agent') },
    })
  })
})

describe('recordings of agents', () => {
  const fileOf = (name: string) => join(root, 'recordings', `${name}.ndjson`)
  // An agent that fails at once can print nothing, or nothing but text.
  const streams = recordings.filter(({ bytes }) => /^\s*[[{]/m.test(bytes().toString()))
  const errors = ['opencode/1.18.33/bad-model', 'acp/cline-3.0.65/auth-required']
  const some = streams.filter(({ name }, index) => index % 12 === 0 || errors.includes(name))
  test.each(some.map(({ name, agent }) => [name, agent]))(
    '%s is recognised',
    async (name, agent) => {
      const { value: first } = await eventsInFile(fileOf(name)).next()
      expect(first).toMatchObject({ type: 'session_start', agent })
    },
  )

  test('almost every recording is a stream', () => {
    expect(recordings.length - streams.length).toBeLessThan(20)
  })
})

describe('the clock', () => {
  afterEach(() => void vi.useRealTimers())

  const watched = (wait: Promise<void>) => {
    const state = { isOver: false }
    void wait.then(() => {
      state.isOver = true
    })
    return state
  }

  test('waits as long as it took, divided by the speed, and two seconds at most', async () => {
    vi.useFakeTimers()
    const clock = createReplayClock(4, false)
    const short = watched(clock.pass(400))
    await vi.advanceTimersByTimeAsync(99)
    expect(short.isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(2)
    expect(short.isOver).toBe(true)
    const long = watched(clock.pass(3_600_000))
    await vi.advanceTimersByTimeAsync(501)
    expect(long.isOver).toBe(true)
  })

  test('stands still while it is paused, and shows one step on request', async () => {
    vi.useFakeTimers()
    const clock = createReplayClock(1, true)
    const first = watched(clock.pass(10))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(first.isOver).toBe(false)
    clock.step()
    await vi.advanceTimersByTimeAsync(0)
    expect(first.isOver).toBe(true)
    const next = watched(clock.stepDone())
    await vi.advanceTimersByTimeAsync(10_000)
    expect(next.isOver).toBe(false)
    clock.togglePause()
    await vi.advanceTimersByTimeAsync(0)
    expect(next.isOver).toBe(true)
  })

  test('speed 0 never waits, and stop ends a wait', async () => {
    await createReplayClock(0, false).pass(1000)
    const clock = createReplayClock(1, true)
    const wait = clock.pass(1000)
    clock.stop()
    await wait
    expect(clock.isStopped()).toBe(true)
  })
})

describe.skipIf(ptyMaker.reason !== undefined)('in a terminal', () => {
  test('--step shows one message per key; q quits', async () => {
    const argv = [process.execPath, main, 'replay', '3f2a', '--step', '--data', data]
    const terminal = startInTerminal(argv, { cwd: directory, env: process.env })
    try {
      const start = await terminal.shows('q: quit.')
      terminal.type('\r')
      const first = await terminal.shows('The first message.', start)
      expect(terminal.screen()).not.toContain('The second')
      terminal.type('\r')
      await terminal.shows('The second message.', first)
      terminal.type('q')
      expect(await terminal.ended).toBe(0)
    } finally {
      terminal.kill()
    }
  })

  test('Ctrl-C ends it with 130', async () => {
    const argv = [process.execPath, main, 'replay', '3f2a', '--step', '--data', data]
    const terminal = startInTerminal(argv, { cwd: directory, env: process.env })
    try {
      await terminal.shows('q: quit.')
      terminal.type('\u0003')
      expect(await terminal.ended).toBe(130)
    } finally {
      terminal.kill()
    }
  })
})
