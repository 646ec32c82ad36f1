import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openSluice, type Sluice, type SluiceOptions } from '../../src/sluice/sluice.ts'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'
import { createServerDirectories, startServerProcess } from '../support/server-process.ts'

process.env.SLUICE_DEMO_PACE = '0'

const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-node-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

const openNode = async (
  nats: SluiceOptions['nats'],
  options: Partial<SluiceOptions> = {},
): Promise<Sluice> => {
  const sluice = await openSluice({
    ...{ data: temporaryDirectory(), policy: 'allow', sandbox: 'off', nats },
    ...options,
  })
  onTestFinished(() => sluice.close())
  return sluice
}

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: nodes of a NATS cluster: ${missing}`)

describe.skipIf(missing !== undefined)('one NATS server', () => {
  let nats: NatsCluster
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats.stop())

  test('sessions are stored in the cluster, and another node reads them', async () => {
    const settings = { servers: nats.urls, tenant: 'stored' }
    const one = await openNode(settings)
    const { record, session } = await one.sessions.create({
      ...{ agent: 'demo', cwd: temporaryDirectory() },
    })
    await session.prompt('hello')
    await session.idle()
    const head = await one.log.head(record.id)
    expect(head).toBeGreaterThan(5)
    expect((await one.log.space()).usedBytes).toBeGreaterThan(1000)
    await one.close()
    const two = await openNode(settings)
    expect((await two.log.sessions.list()).map(({ id }) => id)).toEqual([record.id])
    expect(await two.log.head(record.id)).toBe(head)
  })

  test('a program that is connected to NATS answers approvals of a node', async () => {
    const node = await openNode({ servers: nats.urls, tenant: 'asked' }, { policy: 'ask' })
    const client = await connect({ servers: [...nats.urls] })
    onTestFinished(() => client.close())
    const seen: string[] = []
    client.subscribe('sluice.asked.bus.>', {
      callback: (_, message) => void seen.push(message.subject),
    })
    client.subscribe('sluice.asked.rpc.agent.toolApprove', {
      queue: 'sluice',
      callback: (_, message) => void message.respond('{"action":"allow"}'),
    })
    await client.flush()
    const { session } = await node.sessions.create({ agent: 'demo', cwd: temporaryDirectory() })
    await session.prompt('tool')
    await session.idle()
    await expect.poll(() => seen).toContain('sluice.asked.bus.adapter:demo.tool_completed')
    expect(seen).toContain('sluice.asked.bus.approval.resolved')
  })

  test('a data directory belongs to one node', async () => {
    const data = temporaryDirectory()
    const settings = { servers: nats.urls, tenant: 'locked' }
    await openNode(settings, { data })
    await expect(openNode(settings, { data })).rejects.toMatchObject({
      code: 'data_not_opened',
      message: expect.stringContaining('in use by this process'),
    })
    await expect(openSluice({ data })).rejects.toMatchObject({ code: 'data_not_opened' })
  })

  test('more replicas than servers are refused, with what to do', async () => {
    await expect(
      openNode({ servers: nats.urls, tenant: 'many', replicas: 3 }),
    ).rejects.toMatchObject({
      code: 'nats_not_opened',
      message: expect.stringContaining('choose fewer replicas (--replicas)'),
    })
  })

  test('`sluice serve --nats` serves from the cluster', async () => {
    const directories = createServerDirectories()
    onTestFinished(() => directories.remove())
    const args = ['--nats', nats.urls.join(','), '--tenant', 'process', '--node', 'n1']
    const server = await startServerProcess(directories, { args })
    expect(await server.client.sessions.list()).toMatchObject({ sessions: [] })
    expect(await server.stop()).toBe(0)
  })
})

describe.skipIf(missing !== undefined)('a cluster that cannot be used', () => {
  test('no server answers', async () => {
    await expect(openNode({ servers: ['nats://127.0.0.1:9'] })).rejects.toMatchObject({
      code: 'nats_not_opened',
      message: expect.stringMatching(
        /No NATS server answers at 127\.0\.0\.1:9 .*Start nats-server/,
      ),
    })
  })

  test('the login is refused', async () => {
    const nats = await startNats(1, {
      config: 'authorization { user: "ann", password: "p@ss" }',
    })
    onTestFinished(() => nats.stop())
    await expect(openNode({ servers: nats.urls })).rejects.toMatchObject({
      code: 'nats_not_opened',
      message: expect.stringContaining('refused the login. Check the user'),
    })
    const servers = nats.urls.map((url) => url.replace('//', '//ann:p%40ss@'))
    const node = await openNode({ servers })
    expect(await node.log.sessions.list()).toEqual([])
  })

  test('an nkey from a file is accepted', async () => {
    const { createUser } = await import('@nats-io/transport-node').then(({ nkeys }) => nkeys)
    const user = createUser()
    const nats = await startNats(1, {
      config: `authorization { users: [{ nkey: ${user.getPublicKey()} }] }`,
    })
    onTestFinished(() => nats.stop())
    const creds = join(temporaryDirectory(), 'seed')
    writeFileSync(creds, user.getSeed())
    const node = await openNode({ servers: nats.urls, creds })
    expect(await node.log.sessions.list()).toEqual([])
    writeFileSync(creds, 'nothing')
    await expect(openNode({ servers: nats.urls, creds })).rejects.toMatchObject({
      message: expect.stringContaining('has no NATS credentials'),
    })
  })

  test('JetStream is off', async () => {
    const nats = await startNats(1, { jetStream: false })
    onTestFinished(() => nats.stop())
    await expect(openNode({ servers: nats.urls })).rejects.toMatchObject({
      code: 'nats_not_opened',
      message: expect.stringContaining('has no JetStream. Add'),
    })
  })

  test('names that NATS cannot have are refused', async () => {
    const servers = ['nats://127.0.0.1:9']
    await expect(openNode({ servers, tenant: 'a.b' })).rejects.toMatchObject({ code: 'usage' })
    await expect(openNode({ servers, node: 'a b' })).rejects.toMatchObject({ code: 'usage' })
  })
})
