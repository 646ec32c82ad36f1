import { expect, onTestFinished, test } from 'vitest'
import { openCluster } from '../../src/cluster/cluster.ts'
import { openLeaseBucket } from '../../src/cluster/lease-bucket.ts'
import { openLink } from '../../src/log/jetstream/nats-link.ts'
import { namesOf } from '../../src/log/jetstream/subjects.ts'
import { Fault } from '../../src/shared/fault.ts'
import { describeWithNats } from '../support/describe-with-nats.ts'

const leaseMs = 500

const idle = {
  onOrphan: async () => {},
  onLost: async () => {},
  releaseIdle: async () => {},
  status: () => ({ sessions: 0, running: 0 }),
}

describeWithNats('a node', (nats) => {
  /** A node of a new tenant, and the bucket of its lease. */
  const openNode = async (tenant: string, onError: (cause: unknown) => void) => {
    const link = await openLink({ servers: nats.urls })
    const names = namesOf(tenant)
    const bucket = await openLeaseBucket(link, {
      ...{ name: names.nodeBucket, replicas: 1, callMs: leaseMs },
    })
    const cluster = await openCluster({
      ...{ link, names, replicas: 1, leaseMs, onError, onNotice() {} },
      description: () => ({
        ...{ node: 'one', home: 'h', url: 'http://127.0.0.1/', version: '0', agents: [] },
        ...{ maxAgents: 1, startedAt: 0 },
      }),
    })
    onTestFinished(async () => {
      await cluster.close()
      await link.close()
    })
    return { bucket, cluster }
  }

  test('counts a takeover when it succeeds, and tries again when it fails', async () => {
    const { bucket, cluster } = await openNode('takeovers', (cause) =>
      expect.unreachable(String(cause)),
    )
    let tries = 0
    cluster.follow({
      ...idle,
      async onOrphan(id) {
        tries += 1
        if (tries === 1) throw new Fault('owned_elsewhere', 'Another node was faster.')
        await cluster.claim(id)
        await cluster.release(id, 'lost')
      },
    })
    const lost = { node: 'lost', incarnation: 'i', isReleased: false }
    await bucket.put('owner.a', JSON.stringify(lost), 0)
    await expect.poll(() => cluster.counts().takeovers, { timeout: 20_000 }).toBe(1)
    expect(tries).toBe(2)
  })

  test('that has lost its lease joins again, although something cannot be stopped', async () => {
    const errors: unknown[] = []
    const { bucket, cluster } = await openNode('stuck', (cause) => void errors.push(cause))
    const stuck = new Error('An agent cannot be stopped.')
    cluster.follow({ ...idle, onLost: () => Promise.reject(stuck) })
    const before = cluster.incarnation()
    const removeLease = async () => bucket.remove('node.one', (await leaseOf())?.revision ?? 0)
    const leaseOf = () => bucket.get('node.one')
    await expect.poll(removeLease).toBe(true)
    const current = async () => JSON.parse((await leaseOf())?.text ?? '{}').incarnation ?? before
    await expect.poll(current, { timeout: 20_000 }).not.toBe(before)
    expect(cluster.counts().lostLeases).toBe(1)
    expect(errors).toEqual([stuck])
  })
})
