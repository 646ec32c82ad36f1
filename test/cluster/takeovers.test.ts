import { expect, onTestFinished, test } from 'vitest'
import { openCluster } from '../../src/cluster/cluster.ts'
import { openLeaseBucket } from '../../src/cluster/lease-bucket.ts'
import { openLink } from '../../src/log/jetstream/nats-link.ts'
import { namesOf } from '../../src/log/jetstream/subjects.ts'
import { Fault } from '../../src/shared/fault.ts'
import { describeWithNats } from '../support/describe-with-nats.ts'

const leaseMs = 500

describeWithNats('a takeover', (nats) => {
  test('counts when it succeeds, and is tried again when it fails', async () => {
    const link = await openLink({ servers: nats.urls })
    const names = namesOf('takeovers')
    const bucket = await openLeaseBucket(link, {
      ...{ name: names.nodeBucket, replicas: 1, callMs: leaseMs },
    })
    const lost = { node: 'lost', incarnation: 'i', isReleased: false }
    await bucket.put('owner.a', JSON.stringify(lost), 0)
    const cluster = await openCluster({
      ...{ link, names, replicas: 1, leaseMs, onNotice() {} },
      description: () => ({
        ...{ node: 'one', home: 'h', url: 'http://127.0.0.1/', version: '0', agents: [] },
        ...{ maxAgents: 1, startedAt: 0 },
      }),
      onError: (cause) => expect.unreachable(String(cause)),
    })
    onTestFinished(async () => {
      await cluster.close()
      await link.close()
    })
    let tries = 0
    cluster.follow({
      async onOrphan(id) {
        tries += 1
        if (tries === 1) throw new Fault('owned_elsewhere', 'Another node was faster.')
        await cluster.claim(id)
        await cluster.release(id, 'lost')
      },
      onLost: async () => {},
      releaseIdle: async () => {},
      status: () => ({ sessions: 0, running: 0 }),
    })
    await expect.poll(() => cluster.counts().takeovers, { timeout: 20_000 }).toBe(1)
    expect(tries).toBe(2)
  })
})
