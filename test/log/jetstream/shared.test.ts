import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type JetStreamLog, openJetStreamLog } from '../../../src/log/jetstream/jetstream-log.ts'
import type { ChangedRecord } from '../../../src/log/shared-log.ts'
import { type NatsCluster, natsMissing, startNats } from '../../support/nats-server.ts'
import { auditEntry, events, key, project, session } from '../samples.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: nodes that share a log: ${missing}`)

describe.skipIf(missing !== undefined)('two nodes share a log', () => {
  let nats: NatsCluster
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats.stop())

  const openNode = async (tenant: string, node: string): Promise<JetStreamLog> => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-shared-'))
    const log = await openJetStreamLog(directory, { servers: nats.urls, tenant, node })
    onTestFinished(async () => {
      await log.close()
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    })
    return log
  }
  const openTwo = (tenant: string) =>
    Promise.all([openNode(tenant, 'one'), openNode(tenant, 'two')] as const)

  test('what one node has created is found on the other at once', async () => {
    const [one, two] = await openTwo('found')
    for (let count = 0; count < 20; count += 1) {
      const id = `k${count}`
      await one.keys.create(key(id))
      expect(await two.keys.get(id)).toMatchObject({ id })
      await two.sessions.create(session(id))
      expect(await one.sessions.get(id)).toMatchObject({ id })
      await one.projects.create(project(id))
      expect(await two.projects.get(id)).toMatchObject({ id })
    }
    expect(await two.keys.get('nothing')).toBeUndefined()
  })

  test('a node continues a session that it had before, behind what the other has appended', async () => {
    const [one, two] = await openTwo('again')
    await one.sessions.create(session('s'))
    await one.append('s', events('s', 1, 2))
    // One has not left the session, as when NATS is away at the end.
    await two.shared.arrive('s')
    await two.append('s', events('s', 3, 1))
    await one.shared.arrive('s')
    await one.append('s', events('s', 4, 1))
    expect(await two.head('s')).toBe(4)
  })

  test('a node hears of what the other changes and deletes', async () => {
    const [one, two] = await openTwo('heard')
    const heard: ChangedRecord[] = []
    const unsubscribe = two.shared.onRecord((changed) => void heard.push(changed))
    await one.keys.create(key('k'))
    await one.keys.revoke('k', 2000)
    await one.settings.put({ id: 's', value: '1' })
    await one.settings.remove('s')
    await expect
      .poll(() => heard.filter(({ kind }) => kind === 'key' || kind === 'setting'))
      .toEqual([
        { kind: 'key', id: 'k' },
        { kind: 'key', id: 'k' },
        { kind: 'setting', id: 's' },
        { kind: 'setting', id: 's' },
      ])
    expect(await two.keys.get('k')).toMatchObject({ revokedAt: 2000 })
    unsubscribe()
  })

  test('a record that both change at once has all changes', async () => {
    const [one, two] = await openTwo('changed')
    const add = (record: { value: string } | undefined) => ({
      ...{ id: 'sum', value: String(Number(record?.value ?? 0) + 1) },
    })
    const changes = Array.from({ length: 40 }, (_, index) =>
      (index % 2 === 0 ? one : two).settings.change('sum', add),
    )
    await Promise.all(changes)
    // The last change may have been that of the other node, and arrives a moment later.
    await expect.poll(() => one.settings.get('sum')).toEqual({ id: 'sum', value: '40' })
  })

  test('a code is taken once, whichever node asks first, and not when it has expired', async () => {
    const [one, two] = await openTwo('codes')
    const code = (id: string) => ({ id, content: `"${id}"`, createdAt: 0, expiresAt: 100 })
    for (let count = 0; count < 30; count += 1) {
      await one.shared.codes.put('pair', code(`c${count}`), 5)
      const taken = await Promise.all(
        [one, two, one, two].map(({ shared }) => shared.codes.take('pair', `c${count}`, 50)),
      )
      expect(taken.filter((each) => each !== undefined)).toEqual([`"c${count}"`])
    }
    await one.shared.codes.put('pair', code('late'), 5)
    expect(await two.shared.codes.take('pair', 'late', 100)).toBeUndefined()
    for (let count = 0; count < 7; count += 1)
      await one.shared.codes.put('pair', code(`n${count}`), 5)
    expect(await two.shared.codes.take('pair', 'n1', 0)).toBeUndefined()
    expect(await two.shared.codes.take('pair', 'n2', 0)).toBe('"n2"')
    expect(await two.shared.codes.take('other', 'n3', 0)).toBeUndefined()
  })

  test('the audit has the entries of both, in one order, with the names of the nodes', async () => {
    const [one, two] = await openTwo('audit')
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? one : two).audit.append(auditEntry({ detail: `${index}` })),
      ),
    )
    const numbers = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    for (const { audit } of [one, two])
      await expect.poll(async () => (await audit.list()).map(({ id }) => id)).toEqual(numbers)
    const entries = await one.audit.list()
    expect(await two.audit.list()).toEqual(entries)
    for (const { node, detail } of entries)
      expect(node).toBe(Number(detail) % 2 === 0 ? 'one' : 'two')
  })
})
