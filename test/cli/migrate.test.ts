import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { allSessions } from '../../src/log/all-sessions.ts'
import { type Log, listSqliteSessions, openSqliteLog } from '../../src/log/index.ts'
import { openLink } from '../../src/log/jetstream/nats-link.ts'
import { namesOf } from '../../src/log/jetstream/subjects.ts'
import { startMember } from '../cluster/start-member.ts'
import { all, temporaryDirectory } from '../log/samples.ts'
import { fillLog } from '../move/fill-log.ts'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'
import { type Ran, sluice } from '../support/sluice.ts'
import { startProxy } from '../support/tcp-proxy.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: moving into a cluster: ${missing}`)

describe.skipIf(missing !== undefined)('sluice migrate', () => {
  let nats: NatsCluster
  let server = ''
  beforeAll(async () => {
    nats = await startNats()
    server = nats.urls[0] ?? ''
  })
  afterAll(() => nats.stop())

  const filled = async (sessions: number): Promise<string> => {
    const directory = temporaryDirectory('migrate')
    const log = await openSqliteLog(directory)
    await fillLog(log, sessions)
    await log.close()
    return directory
  }
  const migrate = (data: string, ...more: readonly string[]): Promise<Ran> =>
    sluice(['migrate', '--data', data, ...more])

  /** A new one for each try of a test. */
  const newTenant = (): string => `t${randomUUID().slice(0, 8)}`

  /** Runs it and kills it when a condition holds. */
  const killWhen = async (holds: () => Promise<boolean>, ...args: readonly string[]) => {
    let isOver = false
    const watching = new AbortController()
    const ran = sluice(['migrate', ...args], {
      signal: watching.signal,
    }).finally(() => {
      isOver = true
    })
    while (!isOver && !(await holds())) await new Promise(setImmediate)
    watching.abort()
    return ran
  }

  test('there and back, killed on both ways, gives the same log', async () => {
    const data = await filled(12)
    const tenant = newTenant()
    const link = await openLink({ servers: nats.urls })
    // Slow, so that a kill comes before the end.
    const slow = await startProxy(server)
    slow.set('slow')
    onTestFinished(() => slow.close())
    const { eventStream } = namesOf(tenant)
    const stored = async (): Promise<number> => {
      const info = await link.manager.streams.info(eventStream).catch(() => undefined)
      return info?.state.messages ?? 0
    }
    const to = ['--data', data, '--to-nats', slow.url, '--tenant', tenant]
    for (const limit of [1, 8])
      expect(await killWhen(async () => (await stored()) >= limit, ...to)).toEqual(killed)
    await link.close()
    const started = await sluice([
      'serve',
      '--port',
      '0',
      '--data',
      temporaryDirectory('node'),
      ...['--nats', server, '--tenant', tenant],
    ])
    expect(started).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('A move into this log is not complete'),
    })
    const moved = await migrate(data, '--to-nats', server, '--tenant', tenant)
    expect(moved.stderr).toBe('')
    expect(moved.stdout).toContain('Compared, and equal in both: 12 sessions, 504 events')
    expect(moved.stdout).toContain('Continued and finished the move')
    expect(existsSync(join(data, 'move'))).toBe(false)
    expect((await migrate(data, '--to-nats', server, '--tenant', tenant)).stdout).toContain(
      'Nothing was done',
    )

    const target = join(temporaryDirectory('back'), 'data')
    const back = (url: string) => ['--data', target, '--from-nats', url, '--tenant', tenant]
    const copied = async (): Promise<boolean> =>
      (await listSqliteSessions(target, { includeRemoved: true }).catch(() => [])).length > 0
    expect(await killWhen(copied, ...back(slow.url))).toEqual(killed)
    const returned = await sluice(['migrate', ...back(server)])
    expect(returned.stderr).toBe('')
    expect(returned).toMatchObject({ code: 0 })
    await expectSame(data, target)
  }, 120_000)

  test('a directory in use, a running node and a target with data are refused', async () => {
    const data = await filled(1)
    const tenant = newTenant()
    const member = await startMember(server, tenant, 'one', '1500')
    const busy = await migrate(data, '--to-nats', server, '--tenant', tenant)
    expect(busy).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Node one is running. Stop all nodes'),
    })
    await member.send('stop')
    const open = await openSqliteLog(data)
    const locked = await migrate(data, '--to-nats', server, '--tenant', tenant)
    expect(locked).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is in use by process'),
    })
    await open.close()
    expect(await migrate(data, '--to-nats', server, '--tenant', tenant)).toMatchObject({ code: 0 })
    const full = await migrate(await filled(1), '--to-nats', server, '--tenant', tenant)
    expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining('already has data') })
    const target = join(temporaryDirectory('empty'), 'data')
    const empty = await migrate(target, '--from-nats', server, '--tenant', 'none')
    expect(empty).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nothing to move in tenant none'),
    })
    // A wrong name leaves nothing behind.
    expect(existsSync(target)).toBe(false)
    const link = await openLink({ servers: nats.urls })
    onTestFinished(() => link.close())
    const names = await all(link.manager.streams.names())
    expect(names.filter((name) => name.includes('none'))).toEqual([])
    expect(await migrate(data)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Give either --to-nats or --from-nats'),
    })
  }, 60_000)
})

/** What a killed process returns. */
const killed: Ran = { code: null, stdout: '', stderr: '' }

/** Compares two directories without the code that moves them. */
const expectSame = async (one: string, other: string): Promise<void> => {
  const logs = [await openSqliteLog(one), await openSqliteLog(other)] as const
  const [expected, found] = await Promise.all(logs.map(contentOf))
  expect(found).toEqual(expected)
  await Promise.all(logs.map((log) => log.close()))
}

const contentOf = async (log: Log): Promise<object> => {
  const sessions = await allSessions(log)
  const contents = sessions.map(async ({ id }) => ({
    texts: (await all(log.readText(id, 0))).flatMap(({ texts }) => texts),
    head: await log.head(id),
    checksum: await log.checksumAt(id, 41),
    approvals: await log.approvals.list({ sessionId: id }),
    commands: await log.commands.list(id),
    receipts: await log.moved.receipts(id),
    ledger: [await log.ledger.list(id), await log.ledger.checkpoint(id)],
    snapshot: await log.snapshots.get(id),
    blobs: await Promise.all((await log.moved.blobsOf(id)).map((hash) => log.blobs.get(hash))),
  }))
  return {
    sessions,
    contents: await Promise.all(contents),
    audit: await log.audit.list({ limit: 100 }),
    lists: await Promise.all([
      ...[log.projects.list(), log.keys.list(), log.browsers.list(), log.passkeys.list()],
      ...[log.trust.list(), log.loops.list(), log.budgets.list(), log.ledger.deletedUsage()],
    ]),
    spending: await log.spending.list({ by: ['project', 'agent', 'model'] }),
  }
}
