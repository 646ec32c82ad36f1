import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Log } from '../../../src/log/index.ts'
import { openJetStreamLog } from '../../../src/log/jetstream/jetstream-log.ts'
import { decodeRecords } from '../../../src/log/jetstream/journal-record.ts'
import { refusalOf } from '../../../src/log/log-status.ts'
import { type NatsCluster, natsMissing, startNats } from '../../support/nats-server.ts'
import { type ProxyMode, startProxy } from '../../support/tcp-proxy.ts'
import { all, events, seqs, session, temporaryDirectory } from '../samples.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: outages of NATS: ${missing}`)

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

const journalSize = (directory: string, tenant: string): number =>
  statSync(join(directory, 'journal', `${tenant}.journal`)).size

/** The last event of each session in a journal. */
const journaled = (directory: string, tenant: string): Map<string, number> => {
  const { writes } = decodeRecords(readFileSync(join(directory, 'journal', `${tenant}.journal`)))
  return new Map(
    writes.flatMap((write) =>
      write.kind === 'events' ? [[write.sessionId, write.first + write.texts.length - 1]] : [],
    ),
  )
}

describe.skipIf(missing !== undefined)('one server', () => {
  let nats: NatsCluster
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats.stop())
  const url = (): string => nats.urls[0] ?? ''

  const openLog = async (
    tenant: string,
    address = url(),
    directory = temporaryDirectory('node'),
    errors: unknown[] = [],
  ): Promise<Log> => {
    const log = await openJetStreamLog(directory, {
      ...{ servers: [address], tenant },
      onError: (cause) => errors.push(cause),
    })
    onTestFinished(() => log.close())
    return log
  }
  /** A log behind a proxy, with two sessions, and another one that is connected directly. */
  const openPair = async (tenant: string) => {
    const proxy = await startProxy(url())
    onTestFinished(() => proxy.close())
    const directory = temporaryDirectory('node')
    const log = await openLog(tenant, proxy.url, directory)
    for (const id of ['a', 'b']) {
      await log.sessions.create(session(id))
      await log.append(id, events(id, 1, 5))
    }
    const reader = await openLog(tenant)
    const states: string[] = []
    log.onStatus(({ state }) => states.push(state))
    return { proxy, directory, log, reader, states }
  }
  /** Appends five batches to both sessions without waiting for any. */
  const appendMore = (log: Log): Promise<unknown> =>
    Promise.all(
      [6, 11, 16, 21, 26].flatMap((first) =>
        ['a', 'b'].map((id) => log.queue?.append(id, events(id, first, 5))),
      ),
    )

  test.each<ProxyMode>(['cut', 'frozen', 'no_answers', 'no_requests'])(
    'with a link that is %s, events wait in the journal and are stored once, in order',
    async (mode) => {
      const tenant = `link_${mode}`
      const { proxy, directory, log, reader, states } = await openPair(tenant)
      proxy.set(mode)
      const stored = appendMore(log)
      await expect.poll(() => log.status().state, { timeout: 10_000 }).toBe('unreachable')
      await expect
        .poll(() => journaled(directory, tenant), { timeout: 10_000 })
        .toEqual(
          new Map([
            ['a', 30],
            ['b', 30],
          ]),
        )
      expect(refusalOf(await log.checkStatus())).toMatchObject({ code: 'unreachable' })
      expect(log.queue?.isFull()).toBe(false)
      proxy.set('open')
      await stored
      await expect.poll(() => log.status().state, { timeout: 15_000 }).toBe('ok')
      expect(journalSize(directory, tenant)).toBe(0)
      for (const id of ['a', 'b']) expect(await seqs(reader, id)).toEqual(upTo(30))
      expect(states.at(-1)).toBe('ok')
      await log.append('a', events('a', 31, 1))
    },
    60_000,
  )

  test.each<ProxyMode>(['slow', 'lossy'])(
    'through a %s link nothing is lost or doubled',
    async (mode) => {
      const { proxy, log, reader } = await openPair(`link_${mode}`)
      proxy.set(mode)
      for (let first = 6; first < 106; first += 5) await log.append('a', events('a', first, 5))
      expect(await seqs(reader, 'a')).toEqual(upTo(105))
    },
    60_000,
  )

  test('calls of commands end with a fault, and reads too', async () => {
    const { proxy, log } = await openPair('deadline')
    proxy.set('cut')
    const calls = await Promise.allSettled([
      log.sessions.update('a', { name: 'new' }),
      log.blobs.put('a', Buffer.from('bytes')),
      log.head('a'),
      all(log.read('a', 0)),
      log.commands.receipt('key'),
      log.snapshots.get('a'),
    ])
    for (const call of calls)
      expect(call).toMatchObject({ status: 'rejected', reason: { code: 'unreachable' } })
  }, 30_000)

  test('a blob and the event after it wait together', async () => {
    const tenant = 'blob'
    const { proxy, directory, log, reader } = await openPair(tenant)
    proxy.set('cut')
    await expect.poll(() => log.status().state, { timeout: 10_000 }).toBe('unreachable')
    const bytes = Buffer.from('a large payload')
    const blob = log.queue?.putBlob('a', bytes, 'text/plain')
    const appended = log.queue?.append('a', events('a', 6, 1), blob)
    await expect.poll(() => journaled(directory, tenant).get('a')).toBe(6)
    proxy.set('open')
    await appended
    const { hash = '' } = (await blob) ?? {}
    expect(await reader.blobs.get(hash)).toMatchObject({ mimeType: 'text/plain' })
    expect(await seqs(reader, 'a')).toEqual(upTo(6))
  }, 30_000)

  test('a log that is closed while NATS is away leaves its events for the next start', async () => {
    const tenant = 'closed'
    const { proxy, directory, log, reader } = await openPair(tenant)
    proxy.set('cut')
    const stored = appendMore(log)
    const refused = expect(stored).rejects.toMatchObject({ code: 'closed' })
    await log.close()
    await refused
    proxy.set('open')
    const next = await openLog(tenant, proxy.url, directory)
    for (const id of ['a', 'b']) expect(await seqs(reader, id)).toEqual(upTo(30))
    expect(journalSize(directory, tenant)).toBe(0)
    await next.append('a', events('a', 31, 1))
  }, 30_000)

  test('a session that another node has continued is not touched, and its journal is set aside', async () => {
    const tenant = 'continued'
    const { proxy, directory, log, reader } = await openPair(tenant)
    proxy.set('cut')
    appendMore(log).catch(() => {})
    await log.close()
    await reader.append(
      'a',
      events('a', 6, 1).map((event) => ({ ...event, timestamp: 7 })),
    )
    await reader.append('b', events('b', 6, 2)) // as if a publish had been stored without an answer
    proxy.set('open')
    const errors: unknown[] = []
    await openLog(tenant, proxy.url, directory, errors)
    expect(await seqs(reader, 'a')).toEqual(upTo(6))
    expect(await seqs(reader, 'b')).toEqual(upTo(30))
    const [aside = ''] = readdirSync(join(directory, 'journal')).filter((name) =>
      name.startsWith('aside-a-'),
    )
    const path = join(directory, 'journal', aside)
    const lines = readFileSync(path, 'utf8').trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).seq)).toEqual(upTo(30).slice(5))
    expect(errors).toMatchObject([{ message: expect.stringContaining(path) }])
  }, 30_000)

  test('a server that hangs, and one that is killed, lose nothing', async () => {
    const tenant = 'server'
    const [server] = nats.servers
    const { directory, log } = await openPair(tenant)
    onTestFinished(() => server?.signal('SIGCONT'))
    await server?.signal('SIGSTOP')
    const stored = appendMore(log)
    await expect.poll(() => journaled(directory, tenant).get('b'), { timeout: 10_000 }).toBe(30)
    await server?.signal('SIGCONT')
    await stored
    await expect.poll(() => log.status().state, { timeout: 15_000 }).toBe('ok')
    await server?.signal('SIGKILL')
    const more = log.queue?.append('a', events('a', 31, 5))
    await expect.poll(() => journaled(directory, tenant).get('a'), { timeout: 10_000 }).toBe(35)
    await server?.restart()
    await more
    await expect.poll(() => log.status().state, { timeout: 15_000 }).toBe('ok')
    expect(await seqs(log, 'a')).toEqual(upTo(35))
    expect(await seqs(log, 'b')).toEqual(upTo(30))
  }, 60_000)

  test('a node that is killed while NATS is away has its journal stored at the next start', async () => {
    const tenant = 'killed'
    const proxy = await startProxy(url())
    onTestFinished(() => proxy.close())
    const reader = await openLog(tenant)
    for (const id of ['a', 'b']) await reader.sessions.create(session(id))
    const directory = temporaryDirectory('node')
    const script = join(import.meta.dirname, 'outage-writer.ts')
    const writer = spawn(process.execPath, [script, directory, proxy.url, tenant], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void writer.kill('SIGKILL'))
    const stored = new Map<string, number>()
    createInterface(writer.stdout).on('line', (line) => {
      const [what, id = '', seq] = line.split(' ')
      if (what === 'stored') stored.set(id, Number(seq))
    })
    await expect.poll(() => stored.get('b') ?? 0, { timeout: 20_000 }).toBeGreaterThan(50)
    proxy.set('cut')
    const lastOfA = (): number => journaled(directory, tenant).get('a') ?? 0
    await expect.poll(lastOfA, { timeout: 10_000 }).toBeGreaterThan((stored.get('a') ?? 0) + 200)
    const ended = once(writer, 'exit')
    writer.kill('SIGKILL')
    await ended
    const left = journaled(directory, tenant)
    proxy.set('open')
    const errors: unknown[] = []
    const next = await openLog(tenant, proxy.url, directory, errors)
    expect(errors).toEqual([])
    for (const id of ['a', 'b']) {
      const head = left.get(id) ?? 0
      expect(head).toBeGreaterThan(stored.get(id) ?? 0)
      expect(await all(next.read(id, 0))).toEqual(events(id, 1, head))
    }
    expect(journalSize(directory, tenant)).toBe(0)
  }, 60_000)
})

describe.skipIf(missing !== undefined)('three servers', () => {
  test('without a quorum new work is refused and events wait; with one they are stored', async () => {
    const nats = await startNats(3)
    onTestFinished(() => nats.stop())
    const directory = temporaryDirectory('node')
    const log = await openJetStreamLog(directory, { servers: nats.urls, replicas: 3 })
    onTestFinished(() => log.close())
    await log.sessions.create(session('a'))
    await log.append('a', events('a', 1, 5))
    await Promise.all(nats.servers.slice(1).map((server) => server.signal('SIGKILL')))
    // Nobody writes: the question whether work is possible finds out.
    await expect
      .poll(async () => (await log.checkStatus()).state, { timeout: 15_000 })
      .toBe('unreachable')
    const stored = log.queue?.append('a', events('a', 6, 5))
    await expect.poll(() => journaled(directory, 'default').get('a')).toBe(10)
    await Promise.all(nats.servers.slice(1).map((server) => server.restart()))
    await stored
    await expect.poll(() => log.status().state, { timeout: 30_000 }).toBe('ok')
    expect(await seqs(log, 'a')).toEqual(upTo(10))
    expect(journalSize(directory, 'default')).toBe(0)
  }, 90_000)
})
