import { execFileSync, spawnSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkOrder } from '../../../src/events/order.ts'
import type { StampedEvent } from '../../../src/events/types.ts'
import { ofType } from '../../support/decoded.ts'
import { eventually } from '../../support/eventually.ts'
import { createFailingFlush } from '../../support/failing-flush.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  type ServerProcessOptions,
  startServerProcess,
} from '../../support/server-process.ts'
import { canMount, mountSmallDisk } from '../../support/small-disk.ts'

/** `sluice serve` on a disk that cannot store anything. */

const paced = { ...process.env, SLUICE_DEMO_PACE: '20' }

const start = async (
  directories: ServerDirectories,
  options: ServerProcessOptions = { env: paced },
): Promise<ServerProcess> => {
  const server = await startServerProcess(directories, options)
  onTestFinished(async () => {
    if (server.child.exitCode === null) await server.stop('SIGKILL')
  })
  return server
}

const newDirectories = (): ServerDirectories => {
  const directories = createServerDirectories()
  onTestFinished(directories.remove)
  return directories
}

/** A session in the middle of a run, and what its reader has received. */
const beginRun = async ({ client, url, token }: ServerProcess, { projects }: ServerDirectories) => {
  const project = await client.projects.create({ name: 'P', path: projects })
  const { id } = await client.sessions.create({ projectId: project.id, agent: 'demo' })
  const response = await fetch(`${url}/api/v1/sessions/${id}/stream`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const received = { text: '' }
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? [])
      received.text += decoder.decode(chunk, { stream: true })
  }
  read().catch(() => {}) // the server may exit
  await client.sessions.prompt(id, 'long')
  await eventually(() => expect(received.text).toContain('text_delta'))
  return { id, received }
}

/** Runs a prompt to its end, after the run that was interrupted. */
const runOnce = async (
  { client }: ServerProcess,
  id: string,
  received: { text: string },
): Promise<void> => {
  await client.sessions.prompt(id, 'think')
  await eventually(() => expect(received.text.match(/"type":"agent_end"/g)).toHaveLength(2))
}

const statusOf = async ({ url }: ServerProcess): Promise<number> =>
  (await fetch(`${url}/api/v1/health`)).status

/** All events of a session. Fails if one is missing, or if a reader saw one that is not stored. */
const storedEvents = async (
  { client }: ServerProcess,
  id: string,
  received: { text: string },
): Promise<StampedEvent[]> => {
  const events: StampedEvent[] = []
  for (let after = 0; ; after = events.length) {
    const page = await client.sessions.events(id, { after, limit: 1000 })
    if (page.events.length === 0) break
    events.push(...page.events)
  }
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  expect(checkOrder(events)).toEqual([])
  const seen = [...received.text.matchAll(/^id: (\d+)\S*\ndata: (.*)$/gm)]
  for (const [, seq, json = ''] of seen) {
    const { type } = JSON.parse(json)
    if (type !== 'snapshot') expect(events[Number(seq) - 1]?.type).toBe(type)
  }
  return events
}

/** Everything that changes something is refused, and what stops an agent is not. */
const expectRefusals = async (
  { client }: ServerProcess,
  id: string,
  problem: { status: number; code: string },
): Promise<void> => {
  const refused = [
    () => client.sessions.prompt(id, 'think'),
    () => client.sessions.steer(id, 'stop'),
    () => client.sessions.followUp(id, 'more'),
    () => client.sessions.update(id, { name: 'New name' }),
    () => client.keys.create({ name: 'k', scopes: ['read'] }),
  ]
  for (const call of refused) await expect(call()).rejects.toMatchObject(problem)
  expect(await client.health()).toMatchObject({
    status: 'degraded',
    reasons: [{ code: problem.code, detail: expect.any(String), since: expect.any(Number) }],
  })
  await client.sessions.abort(id)
}

describe.skipIf(!canMount)('on a disk that becomes full', () => {
  const onSmallDisk = () => {
    const disk = mountSmallDisk(48)
    const directories = newDirectories()
    return { disk, directories: { ...directories, data: join(disk.path, 'data') } }
  }

  test('agents are stopped before it is full, work is refused, and all works again later', async () => {
    const { disk, directories } = onSmallDisk()
    const server = await start(directories)
    const { id, received } = await beginRun(server, directories)
    disk.fill(1_500_000)
    await eventually(() => expect(received.text).toContain('"type":"degraded"'))
    expect(await statusOf(server)).toBe(503)
    await expectRefusals(server, id, { status: 507, code: 'disk_full' })
    await eventually(() => expect(received.text).toContain('"type":"agent_end"'))
    disk.empty()
    await eventually(() => expect(received.text).toContain('"type":"recovered"'))
    expect(await statusOf(server)).toBe(200)
    await runOnce(server, id, received)
    const events = await storedEvents(server, id, received)
    expect(ofType(events, 'error')).toMatchObject([
      {
        code: 'disk_full',
        message: expect.stringMatching(/^The agent was stopped \(since .*almost/),
      },
    ])
    expect(ofType(events, 'agent_end')).toHaveLength(2)
  })

  test('a disk that is full at once leaves room to close the run', async () => {
    const { disk, directories } = onSmallDisk()
    const server = await start(directories)
    const { id, received } = await beginRun(server, directories)
    disk.fill(0)
    await eventually(async () => expect(await statusOf(server)).toBe(503))
    await eventually(() => expect(received.text).toContain('"type":"agent_end"'))
    await expect(server.client.sessions.prompt(id, 'think')).rejects.toMatchObject({
      status: 507,
      code: 'disk_full',
    })
    disk.empty()
    await eventually(async () => expect(await statusOf(server)).toBe(200))
    await runOnce(server, id, received)
    const events = await storedEvents(server, id, received)
    expect(ofType(events, 'error')).toMatchObject([{ code: 'disk_full' }])
  })
})

const hasLimits = spawnSync('prlimit', ['--version']).status === 0
if (!hasLimits) console.log('skipped: tests with a limit on files (there is no prlimit)')

test.skipIf(!hasLimits)(
  'when no file can grow, work is refused; afterwards the run is closed with the true reason',
  async () => {
    const directories = newDirectories()
    const server = await start(directories)
    const { id, received } = await beginRun(server, directories)
    const limit = (size: string) =>
      execFileSync('prlimit', ['--pid', String(server.child.pid), `--fsize=${size}:unlimited`])
    limit('1024')
    await eventually(() => expect(received.text).toContain('"type":"degraded"'))
    expect(await statusOf(server)).toBe(503)
    await expectRefusals(server, id, { status: 503, code: 'log_failed' })
    limit('unlimited')
    // Without a restart, and without a call.
    await eventually(() => expect(received.text).toContain('"type":"agent_end"'))
    await eventually(() => expect(received.text).toContain('"type":"recovered"'))
    expect(await server.client.health()).toMatchObject({ status: 'ok', reasons: [] })
    await runOnce(server, id, received)
    const events = await storedEvents(server, id, received)
    expect(ofType(events, 'error')).toMatchObject([
      { code: 'log_failed', message: expect.stringContaining('could not be stored') },
    ])
  },
)

test('a data directory that is moved away is noticed, and so is its return', async () => {
  const directories = newDirectories()
  const server = await start(directories)
  const { id, received } = await beginRun(server, directories)
  renameSync(directories.data, `${directories.data}-away`)
  await eventually(() => expect(received.text).toContain('"type":"degraded"'))
  await expectRefusals(server, id, { status: 503, code: 'log_failed' })
  renameSync(`${directories.data}-away`, directories.data)
  await eventually(() => expect(received.text).toContain('"type":"recovered"'))
  await runOnce(server, id, received)
  const events = await storedEvents(server, id, received)
  expect(ofType(events, 'error')).toMatchObject([
    { code: 'log_failed', message: expect.stringContaining('was moved or deleted') },
  ])
})

const flush = createFailingFlush()
afterAll(() => flush?.remove())

test.skipIf(!flush)(
  'after a failed flush, the server exits with its own code, and the next start is clean',
  async () => {
    if (!flush) return
    const directories = newDirectories()
    const env = { ...paced, ...flush.env }
    const server = await start(directories, { env })
    const { id, received } = await beginRun(server, directories)
    flush.breakDisk()
    await eventually(() => expect(received.text).toContain('"type":"degraded"'))
    const brokenAt = performance.now()
    expect(await statusOf(server)).toBe(503)
    await expectRefusals(server, id, { status: 503, code: 'log_failed' })
    expect(await server.exited).toBe(74)
    // Two seconds, and some for a busy machine.
    expect(performance.now() - brokenAt).toBeLessThan(20_000)
    expect(server.output.stderr).toContain('The disk could not store the log')
    flush.repairDisk()

    const next = await start(directories, { env })
    expect(await statusOf(next)).toBe(200)
    const events = await storedEvents(next, id, received)
    expect(ofType(events, 'error')).toMatchObject([
      { code: 'log_failed', message: expect.stringContaining('The disk could not store the log') },
    ])
    expect(ofType(events, 'agent_end')).toMatchObject([{ interrupted: true }])
    await next.client.sessions.prompt(id, 'think')
    expect(await next.stop()).toBe(0)
  },
)
