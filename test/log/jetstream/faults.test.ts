import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type JetStreamLog, openJetStreamLog } from '../../../src/log/jetstream/jetstream-log.ts'
import { type NatsCluster, natsMissing, startNats } from '../../support/nats-server.ts'
import { events, seqs, session, temporaryDirectory, usageEvent } from '../samples.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: faults of a NATS cluster: ${missing}`)

describe.skipIf(missing !== undefined)('three servers', () => {
  let nats: NatsCluster
  beforeAll(async () => {
    nats = await startNats(3)
  })
  afterAll(() => nats.stop())

  const open = async (tenant: string): Promise<JetStreamLog> => {
    const log = await openJetStreamLog(temporaryDirectory('node'), {
      servers: nats.urls,
      ...{ tenant, replicas: 3 },
    })
    onTestFinished(() => log.close())
    return log
  }

  test('two nodes see each other’s records and events', async () => {
    const [one, two] = [await open('two'), await open('two')]
    await one.sessions.create(session('a'))
    await one.append('a', events('a', 1, 3))
    await expect.poll(() => two.sessions.get('a')).toEqual(session('a'))
    expect(await seqs(two, 'a')).toEqual([1, 2, 3])
    await two.sessions.update('a', { name: 'two' })
    await expect.poll(async () => (await one.sessions.get('a'))?.name).toBe('two')
  })

  test('two writers of a session never interleave', async () => {
    const [one, two] = [await open('fence'), await open('fence')]
    await one.sessions.create(session('a'))
    await expect.poll(() => two.sessions.get('a')).toBeDefined()
    await one.append('a', events('a', 1, 1))
    await two.append('a', events('a', 2, 1))
    await expect(one.append('a', events('a', 2, 1))).rejects.toMatchObject({ code: 'fenced' })
    // It now knows what the other has written.
    await expect(one.append('a', events('a', 2, 1))).rejects.toMatchObject({ code: 'repeat' })
    await one.append('a', events('a', 3, 1))
    expect(await seqs(two, 'a')).toEqual([1, 2, 3])
  })

  test('the sums of cost that a dead node had not stored are added by the next writer', async () => {
    const [one, two] = [await open('sums'), await open('sums')]
    await one.sessions.create(session('a'))
    await one.append('a', [usageEvent('a', 1, 0, { m: { input: 7, costUsd: 1 } })])
    await one.link.connection.close()
    await expect.poll(() => two.sessions.get('a')).toBeDefined()
    await two.append('a', events('a', 2, 1))
    await expect.poll(() => two.spending.total()).toMatchObject({ input: 7, costUsd: 1 })
  })

  test('nothing that was acknowledged is lost or doubled when servers are killed', async () => {
    const log = await open('kills')
    const ids = Array.from({ length: 8 }, (_, index) => `s${index}`)
    for (const id of ids) await log.sessions.create(session(id))
    const acked = new Map(ids.map((id) => [id, 0]))
    let isDone = false
    const writing = ids.map(async (id) => {
      for (let next = 1; !isDone; next += 5) {
        await log.append(id, events(id, next, 5))
        acked.set(id, next + 4)
      }
    })
    for (const server of nats.servers) {
      const before = [...acked.values()].reduce((sum, count) => sum + count, 0)
      await server.signal('SIGKILL')
      await expect
        .poll(() => [...acked.values()].reduce((sum, count) => sum + count, 0), {
          timeout: electionsMs,
        })
        .toBeGreaterThan(before + 100)
      await server.restart()
      await expect.poll(() => isReplicated(log), { timeout: electionsMs }).toBe(true)
    }
    isDone = true
    await Promise.all(writing)
    for (const id of ids) {
      const last = acked.get(id) ?? 0
      expect(await seqs(log, id)).toEqual(Array.from({ length: last }, (_, index) => index + 1))
    }
  }, 300_000)
})

/** An election takes 4 to 9 seconds. When no server gets enough votes, the next one follows. */
const electionsMs = 60_000

/**
 * Whether each stream has a leader and all its copies. Before that, the kill of another server leaves one
 * that is behind, and elections failed for up to 21 seconds.
 */
const isReplicated = async ({ link }: JetStreamLog): Promise<boolean> => {
  const streams = await link.manager.streams
    .list()
    .next()
    .catch(() => [])
  const hasCopies = streams.every(
    ({ cluster }) => cluster?.leader && cluster.replicas?.every(({ current }) => current),
  )
  return streams.length > 0 && hasCopies
}
