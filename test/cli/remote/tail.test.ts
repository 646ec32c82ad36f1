import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventFilter, isUsualEvent } from '../../../src/cli/tail/event-filter.ts'
import { eventLine } from '../../../src/cli/tail/event-line.ts'
import type { Envelope, EventOf, StampedEvent } from '../../../src/events/types.ts'
import { emptyTotals } from '../../../src/events/usage-sums.ts'
import { createStyle } from '../../../src/handler/style.ts'
import { openSqliteLog } from '../../../src/log/index.ts'
import { session, temporaryDirectory, textEvent } from '../../log/samples.ts'
import { eventually } from '../../support/eventually.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts'
import { root, sluice } from '../../support/sluice.ts'

const call: StampedEvent = {
  ...{
    type: 'tool_call',
    toolCallId: 't',
    toolName: 'Bash',
    input: { command: 'npm\u001b[2J test' },
  },
  ...{ sessionId: '3f2a91c0-0000-4000-8000-000000000001', seq: 1, timestamp: 1000 },
}
const error: EventOf<'error'> & Envelope = {
  ...{ type: 'error', code: 'command_failed', message: 'It broke.', fatal: false },
  ...{ sessionId: 's', seq: 2, timestamp: 2000 },
}
const usage = (costUsd: number | null): EventOf<'usage_update'> & Envelope => ({
  type: 'usage_update',
  totals: { ...emptyTotals(), costUsd },
  byModel: {},
  context: null,
  ...{ sessionId: 's', seq: 5, timestamp: 3000 },
})
const toolEnd = (rest: Partial<EventOf<'tool_execution_end'>>): StampedEvent => ({
  ...{ type: 'tool_execution_end', toolCallId: 't', toolName: 'Bash', ...rest },
  ...{ sessionId: 's', seq: 6, timestamp: 3000 },
})
const delta = textEvent('s', 3, 'a piece')

describe('a filter', () => {
  test.each([
    ['nothing', [], [call, error]],
    ['a type', ['type=error'], [error]],
    ['types with a star', ['type=tool_*,message_update'], [call, delta]],
    ['a tool, in any case', ['tool=bash'], [call]],
    ['several conditions', ['type=*', 'agent=pi', 'tool=b*'], [call]],
    ['another agent', ['agent=claude'], []],
  ])('by %s', (_, filters, expected) => {
    const fits = eventFilter(filters, isUsualEvent)
    expect([call, error, delta].filter((event) => fits(event, 'pi'))).toEqual(expected)
  })

  test.each(['type=nix', 'type=', 'nix', 'colour=red', 'type=error,nix'])('refuses %s', (text) => {
    expect(() => eventFilter([text], isUsualEvent)).toThrow(/is not a filter|No event has the type/)
  })
})

describe('a line', () => {
  const style = createStyle(false)
  const stamp = { sessionId: 's', seq: 4, timestamp: 3000 }
  const use = {
    budgetId: 'own',
    scope: 'session',
    measure: 'tokens',
    limit: 100,
    spent: 90,
  } as const
  test.each<[StampedEvent, string]>([
    [
      { type: 'budget_update', level: 'warning', budget: use, ...stamp },
      'The limit of this session (100 tokens) is nearly used: 90 tokens used.',
    ],
    [usage(null), 'usage_update'],
    [usage(0.0078119999), '$0.0078'],
  ])('of what is spent: %j', (event, end) => {
    const line = eventLine(event, { style, hasSession: false }).trimEnd()
    expect(line.endsWith(end)).toBe(true)
  })

  test.each([
    ['ok', {}],
    ['failed', { isError: true }],
    ['failed', { exitCode: 2 }],
    ['interrupted', { interrupted: true as const }],
  ])('of a tool that ended says %s: %j', (outcome, rest) => {
    const line = eventLine(toolEnd(rest), { style, hasSession: false }).trimEnd()
    expect(line.endsWith(`tool_execution_end ${outcome}`)).toBe(true)
  })

  test.each([undefined, 80, 40])('has what happened, and fits %s columns', (columns) => {
    const line = eventLine(call, { style, columns, hasSession: true })
    expect(line).toMatch(/^\d\d:\d\d:\d\d 3f2a91c0 tool_call +Bash npm/)
    expect(line.length).toBeLessThanOrEqual(columns ?? 200)
    expect(line).not.toContain('\u001b')
  })

  test('of a very long event ends in a pipe, too', () => {
    const long = { ...error, message: 'long '.repeat(10_000) }
    expect(eventLine(long, { style, hasSession: false }).length).toBeLessThan(1100)
  })
})

const startTail = (...args: string[]) => {
  const child = spawn(process.execPath, [join(root, 'src/cli/main.js'), 'tail', ...args])
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  return {
    lines: () => stdout.split('\n').slice(0, -1),
    async end() {
      child.kill('SIGINT')
      const [code] = await once(child, 'exit')
      return code
    },
  }
}

test('--all leaves out what a session had before, also one that the server has not loaded', async () => {
  const directories = createServerDirectories()
  onTestFinished(() => directories.remove())
  const first = await startServerProcess(directories)
  const { id: projectId } = await first.client.projects.create({
    ...{ name: 'Before', path: directories.projects },
  })
  const { id } = await first.client.sessions.create({ projectId, agent: 'demo' })
  await first.client.sessions.prompt(id, 'think')
  const { head } = await eventually(async () => {
    const stored = await first.client.sessions.events(id, { limit: 5000 })
    expect(stored.events.map(({ type }) => type)).toContain('agent_end')
    return stored
  })
  await first.stop()
  const server = await startServerProcess(directories)
  onTestFinished(async () => void (await server.stop()))
  const tail = startTail('--all', '--json', '--url', server.url, '--token', server.token)
  // The stream of `tail` is open when it prints what happens in a new session.
  const beacon = await server.client.sessions.create({ projectId, agent: 'demo' })
  await eventually(async () => {
    await server.client.sessions.prompt(beacon.id, 'think').catch(() => {})
    expect(tail.lines().length).toBeGreaterThan(0)
  })
  await server.client.sessions.prompt(id, 'think')
  const seqs = () =>
    tail
      .lines()
      .map((line) => JSON.parse(line))
      .filter(({ sessionId }) => sessionId === id)
      .map(({ seq }) => seq)
  await eventually(() => expect(seqs().length).toBeGreaterThan(0))
  expect(Math.min(...seqs())).toBeGreaterThan(head)
  expect(await tail.end()).toBe(0)
})

test('follows a log that another process has open, without a server', async () => {
  const data = temporaryDirectory('tail')
  const log = await openSqliteLog(data)
  onTestFinished(() => log.close())
  await log.sessions.create(session('s1', { name: 'Roses', state: 'running' }))
  const events = Array.from({ length: 15 }, (_, at) => textEvent('s1', at + 1, `piece ${at + 1}`))
  await log.append('s1', events.slice(0, 14))
  const tail = startTail('ros', '--data', data, '--filter', 'type=message_update')
  await eventually(() => expect(tail.lines()).toHaveLength(10))
  await log.append('s1', events.slice(14))
  await eventually(() => expect(tail.lines().at(-1)).toContain('piece 15'))
  expect(tail.lines()[0]).toContain('piece 5')
  expect(tail.lines()).toHaveLength(11)
  expect(await tail.end()).toBe(0)
})

describe('beside a server', () => {
  let directories: ServerDirectories
  let server: ServerProcess
  beforeAll(async () => {
    directories = createServerDirectories()
    server = await startServerProcess(directories)
  })
  afterAll(async () => {
    await server.stop()
    directories.remove()
  })

  const create = async (name: string) => {
    const { client } = server
    const { id: projectId } = await client.projects.create({ name, path: directories.projects })
    return (await client.sessions.create({ projectId, agent: 'demo', name })).id
  }
  const address = () => ['--url', server.url, '--token', server.token]

  test.each([
    ['the log', () => ['--data', directories.data]],
    ['the stream of the server', address],
  ])('--all prints what happens in every session, from %s', async (_, where) => {
    const first = await create('First')
    const tail = startTail('--all', '--json', ...where())
    // Sessions of before and new ones.
    const ends = () => tail.lines().filter((line) => line.includes('"type":"agent_end"'))
    await eventually(async () => {
      await server.client.sessions.prompt(first, 'think').catch(() => {})
      expect(ends().length).toBeGreaterThan(0)
    })
    const second = await create('Second')
    await server.client.sessions.prompt(second, 'think')
    await eventually(() => expect(ends().some((line) => line.includes(second))).toBe(true))
    const seqs = tail
      .lines()
      .map((line) => JSON.parse(line))
      .filter((event) => event.sessionId === second)
      .map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_seq, at) => at + 1))
    expect(await tail.end()).toBe(0)
  })

  test('--no-follow prints what is stored, and ends', async () => {
    const id = await create('Stored')
    await server.client.sessions.prompt(id, 'think')
    const events = await eventually(async () => {
      const stored = await server.client.sessions.events(id, { limit: 5000 })
      expect(stored.events.map(({ type }) => type)).toContain('agent_end')
      return stored.events
    })
    for (const where of [['--data', directories.data], address()]) {
      const all = ['tail', 'stored', '--no-follow', '--json', '--lines', '9999', ...where]
      const { stdout, code } = await sluice(all)
      expect(code).toBe(0)
      expect(
        stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual(events)
    }
    const later = await sluice(['tail', id, '--no-follow', '--since', '2099-01-01', ...address()])
    expect(later).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})
