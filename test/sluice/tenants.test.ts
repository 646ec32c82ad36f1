import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, errors, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { StampedEvent } from '../../src/events/types.ts'
import { openSluice, type Sluice } from '../../src/sluice/sluice.ts'
import { events as sampleEvents } from '../log/samples.ts'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'
import { sluice } from '../support/sluice.ts'

process.env.SLUICE_DEMO_PACE = '0'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: tenants of a NATS server: ${missing}`)

const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-tenant-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

/** What a tenant must not do to tenant a: the name of the attempt, its subject, and its body. */
const attempts: readonly { what: string; subject: string; body?: object }[] = [
  { what: 'write an event', subject: 'sluice.a.ev.s' },
  { what: 'publish on its bus', subject: 'sluice.a.bus.session.event' },
  { what: 'answer its requests', subject: '_INBOX_a.x' },
  { what: 'write a record', subject: '$KV.sluice_a.i.key.x' },
  { what: 'write a lease', subject: '$KV.sluice_a_nodes.node.x' },
  { what: 'write an object', subject: '$O.sluice_a_objects.C.x' },
  { what: 'get an event by seq', subject: '$JS.API.DIRECT.GET.sluice_a_events', body: { seq: 1 } },
  {
    what: 'get the next event',
    subject: '$JS.API.DIRECT.GET.sluice_a_events',
    body: { seq: 1, next_by_subj: 'sluice.a.ev.>' },
  },
  { what: 'get the last event', subject: '$JS.API.DIRECT.GET.sluice_a_events.sluice.a.ev.s' },
  { what: 'get a message', subject: '$JS.API.STREAM.MSG.GET.sluice_a_events', body: { seq: 1 } },
  { what: 'get a record', subject: '$JS.API.STREAM.MSG.GET.KV_sluice_a', body: { seq: 1 } },
  { what: 'get a record directly', subject: '$JS.API.DIRECT.GET.KV_sluice_a', body: { seq: 1 } },
  {
    what: 'get a part of an object',
    subject: '$JS.API.STREAM.MSG.GET.OBJ_sluice_a_objects',
    body: { seq: 1 },
  },
  { what: 'get a lease', subject: '$JS.API.STREAM.MSG.GET.KV_sluice_a_nodes', body: { seq: 1 } },
  {
    what: 'list subjects',
    subject: '$JS.API.STREAM.INFO.sluice_a_events',
    body: { subjects_filter: '>' },
  },
  { what: 'list streams', subject: '$JS.API.STREAM.NAMES', body: {} },
  { what: 'delete a stream', subject: '$JS.API.STREAM.DELETE.sluice_a_events' },
  { what: 'purge a stream', subject: '$JS.API.STREAM.PURGE.sluice_a_events', body: {} },
  {
    what: 'consume',
    subject: '$JS.API.CONSUMER.CREATE.sluice_a_events',
    body: { stream_name: 'sluice_a_events', config: { ack_policy: 'none' } },
  },
  {
    what: 'copy the stream',
    subject: '$JS.API.STREAM.CREATE.copy',
    body: { name: 'copy', mirror: { name: 'sluice_a_events' } },
  },
]

describe.skipIf(missing !== undefined).each([
  { variant: 'an account for each tenant', flags: [] },
  { variant: 'one account', flags: ['--one-account'] },
])('$variant', ({ flags }) => {
  let nats: NatsCluster
  let keys: string
  beforeAll(async () => {
    keys = join(mkdtempSync(join(tmpdir(), 'sluice-keys-')), 'keys')
    const args = ['nats-config', '--tenant', 'a', '--tenant', 'b', '--keys', keys, ...flags]
    const { code, stdout, stderr } = await sluice(args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    nats = await startNats(1, { config: stdout })
    if (flags.length === 0) return
    const setup = ['nats-setup', '--nats', nats.urls.join(','), '--tenant', 'a', '--tenant', 'b']
    const made = await sluice([...setup, '--creds', join(keys, 'sluice-admin.nk')])
    expect(made).toMatchObject({ code: 0, stderr: '' })
  })
  afterAll(async () => {
    await nats.stop()
    rmSync(join(keys, '..'), { recursive: true, force: true })
  })

  const login = (tenant: string): Promise<NatsConnection> =>
    connect({
      servers: [...nats.urls],
      authenticator: nkeyAuthenticator(readFileSync(join(keys, `${tenant}.nk`))),
      inboxPrefix: `_INBOX_${tenant}`,
    })
  const openNode = async (tenant: string, node: string): Promise<Sluice> => {
    const directory = temporaryDirectory()
    const problems: unknown[] = []
    const opened = await openSluice({
      ...{ data: directory, policy: 'ask', sandbox: 'off' },
      nats: { servers: nats.urls, tenant, node, creds: join(keys, `${tenant}.nk`) },
      onError: (cause) => void problems.push(cause),
    })
    onTestFinished(async () => {
      await opened.close()
      expect(problems).toEqual([])
    })
    return opened
  }

  test('a tenant works in full with the rights that are printed', async () => {
    expect(statSync(join(keys, 'a.nk')).mode & 0o777).toBe(0o600)
    const one = await openNode('a', 'one')
    const client = await login('a')
    onTestFinished(() => client.close())
    client.subscribe('sluice.a.rpc.agent.toolApprove', {
      queue: 'sluice',
      callback: (_, message) => void message.respond('{"action":"allow"}'),
    })
    await client.flush()
    const { record, session } = await one.sessions.create({
      ...{ agent: 'demo', cwd: temporaryDirectory() },
    })
    await session.prompt('tool')
    await session.idle()
    expect(await one.log.approvals.list()).toMatchObject([{ status: 'answered' }])
    // Enough for a consumer.
    const stored = { ...record, id: 'stored' }
    await one.log.sessions.create(stored)
    for (let from = 1; from < 800; from += 50)
      await one.log.append('stored', sampleEvents('stored', from, 50))
    await one.log.blobs.put(record.id, new Uint8Array(2_000_000))
    const two = await openNode('a', 'two')
    const events: StampedEvent[] = []
    for await (const event of two.log.read('stored', 0)) events.push(event)
    expect(events).toHaveLength(800)
    expect(await two.log.head(record.id)).toBe(await one.log.head(record.id))
    const { hash } = await one.log.blobs.put(record.id, new Uint8Array(9))
    expect((await two.log.blobs.get(hash))?.bytes).toHaveLength(9)
    await one.log.sessions.remove(record.id)
    await expect.poll(() => two.log.sessions.get(record.id)).toBeUndefined()
  })

  test.each(attempts)('another tenant cannot $what', async ({ subject, body }) => {
    const thief = await login('b')
    onTestFinished(() => thief.close())
    const payload = body === undefined ? '' : JSON.stringify(body)
    const refused = await thief.request(subject, payload, { timeout: 2000 }).catch((cause) => cause)
    expect(refused).toBeInstanceOf(Error)
    expect(refused.cause ?? refused).toBeInstanceOf(errors.PermissionViolationError)
  })

  test.each(['sluice.a.>', 'sluice.*.bus.>', '_INBOX_a.>', '>', '$KV.>', '$JS.EVENT.>'])(
    'another tenant cannot subscribe to %s',
    async (subject) => {
      const thief = await login('b')
      onTestFinished(() => thief.close())
      const refused = Promise.withResolvers<unknown>()
      thief.subscribe(subject, { callback: (error) => refused.resolve(error) })
      expect(await refused.promise).toBeInstanceOf(errors.PermissionViolationError)
    },
  )

  test('nobody else gets in', async () => {
    await expect(connect({ servers: [...nats.urls] })).rejects.toThrow('Authorization Violation')
  })
})

describe.skipIf(missing !== undefined)('limits of tenants', () => {
  const open = async (nats: NatsCluster, keys: string, tenant: string): Promise<Sluice> => {
    const opened = await openSluice({
      ...{ data: temporaryDirectory(), policy: 'allow', sandbox: 'off', onError: () => {} },
      nats: { servers: nats.urls, tenant, creds: join(keys, `${tenant}.nk`) },
    })
    onTestFinished(() => opened.close())
    return opened
  }

  test.each([
    { variant: 'an account for each tenant', flags: ['--fixed-streams'], admin: 'a-admin' },
    { variant: 'one account', flags: ['--one-account'], admin: 'sluice-admin' },
  ])('$variant: a full tenant is refused with a code, and others go on', async (limits) => {
    const keys = join(temporaryDirectory(), 'keys')
    mkdirSync(keys)
    const config = await sluice([
      ...['nats-config', '--tenant', 'a', '--tenant', 'b', '--keys', keys],
      ...limits.flags,
    ])
    const nats = await startNats(1, { config: config.stdout })
    onTestFinished(() => nats.stop())
    const setUp = (tenant: string, admin: string) =>
      sluice([
        ...['nats-setup', '--nats', nats.urls.join(','), '--tenant', tenant],
        ...['--creds', join(keys, `${admin}.nk`), '--max-bytes', '4MB'],
      ])
    expect(await setUp('a', limits.admin)).toMatchObject({ code: 0 })
    expect(await setUp('b', limits.admin.replace('a-', 'b-'))).toMatchObject({ code: 0 })
    // A node cannot raise its own limit.
    expect(await setUp('a', 'a')).toMatchObject({
      stderr: expect.stringContaining('Permissions Violation'),
    })
    const [full, other] = await Promise.all([open(nats, keys, 'a'), open(nats, keys, 'b')])
    const { record, session } = await full.sessions.create({
      ...{ agent: 'demo', cwd: temporaryDirectory() },
    })
    const fill = async (): Promise<void> => {
      for (let count = 0; count < 100; count += 1)
        await full.log.blobs.put(record.id, new Uint8Array(50_000).fill(count))
    }
    await expect(fill()).rejects.toMatchObject({ code: 'disk_full' })
    await expect
      .poll(() => full.log.status(), { timeout: 10_000 })
      .toMatchObject({
        state: 'low_space',
        reason: expect.stringMatching(
          /^The tenant “a” stores .* Delete sessions, or raise the limit/,
        ),
      })
    expect(await session.prompt('hello')).toMatchObject({ outcome: 'failed', code: 'disk_full' })
    // Records still have space: keys can be revoked, and sessions deleted.
    await full.log.settings.put({ id: 'small', value: '1' })
    expect(other.log.status()).toEqual({ state: 'ok' })
    const another = await other.sessions.create({ agent: 'demo', cwd: temporaryDirectory() })
    await another.session.prompt('hello')
    await another.session.idle()
    await full.log.sessions.remove(record.id)
    await expect.poll(() => full.log.status(), { timeout: 10_000 }).toEqual({ state: 'ok' })
  })

  test('a tenant is added without new keys for the others', async () => {
    const keys = join(temporaryDirectory(), 'keys')
    const configOf = (...tenants: string[]) =>
      sluice([
        'nats-config',
        ...tenants.flatMap((tenant) => ['--tenant', tenant]),
        ...['--keys', keys],
      ])
    const nkeys = (text: string) => text.match(/nkey: U\w+ # \w+/g)
    const [first = 'none'] = nkeys((await configOf('a')).stdout) ?? []
    const seed = readFileSync(join(keys, 'a.nk'), 'utf8')
    expect(nkeys((await configOf('a', 'b')).stdout)).toEqual([
      first,
      expect.stringMatching(/^nkey: U\w+ # b$/),
    ])
    expect(readFileSync(join(keys, 'a.nk'), 'utf8')).toBe(seed)
    writeFileSync(join(keys, 'a.nk'), 'no seed\n')
    expect(await configOf('a')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a.nk is not the seed of an nkey. Move it away'),
    })
  })

  test('names that would share something are refused', async () => {
    for (const [tenants, problem] of [
      [['a_nodes'], 'not end with _nodes'],
      [['a.b'], 'letters, digits'],
      [['a', 'a'], 'the same name'],
      [['a-b', 'a_b'], 'differ by more than case'],
    ] as const) {
      const args = tenants.flatMap((tenant) => ['--tenant', tenant])
      const { code, stderr } = await sluice(['nats-config', ...args])
      expect(code).toBe(2)
      expect(stderr).toContain(problem)
    }
  })
})
