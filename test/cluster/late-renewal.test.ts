import { expect, test } from 'vitest'
import { openLeaseBucket } from '../../src/cluster/lease-bucket.ts'
import { createNodeLease } from '../../src/cluster/node-lease.ts'
import { openLink } from '../../src/log/jetstream/nats-link.ts'
import { describeWithNats } from '../support/describe-with-nats.ts'

const key = 'node.one'

describeWithNats('a renewal that was stored without an answer', (nats) => {
  const startLease = async (name: string) => {
    const link = await openLink({ servers: nats.urls })
    const bucket = await openLeaseBucket(link, { name, replicas: 1, callMs: 1500 })
    const lease = createNodeLease({
      ...{ bucket, leaseMs: 1500, monotonic: () => performance.now(), view: { note() {} } },
      description: () => ({
        ...{ node: 'one', home: 'h', url: 'http://127.0.0.1/', version: '0', agents: [] },
        ...{ maxAgents: 1, startedAt: 0 },
      }),
      status: () => ({ sessions: 0, running: 0 }),
    })
    await lease.acquire({ isStart: true })
    return { link, bucket, lease }
  }

  test('does not cost the node its lease', async () => {
    const { link, bucket, lease } = await startLease('late')
    const stored = await bucket.get(key)
    // What the server stored after the node had stopped waiting for the answer.
    const late = { ...JSON.parse(stored?.text ?? ''), renewal: 7 }
    await bucket.put(key, JSON.stringify(late), stored?.revision ?? 0)
    expect(await lease.renew()).toBe('held')
    expect(lease.isCurrent()).toBe(true)
    expect((await bucket.get(key))?.revision).toBe(lease.revision())
    await link.close()
  })

  test('is not mistaken for the lease of another process', async () => {
    const { link, bucket, lease } = await startLease('another')
    const stored = await bucket.get(key)
    const other = { ...JSON.parse(stored?.text ?? ''), incarnation: 'another' }
    await bucket.put(key, JSON.stringify(other), stored?.revision ?? 0)
    expect(await lease.renew()).toBe('lost')
    await bucket.remove(key, (await bucket.get(key))?.revision ?? 0)
    expect(await lease.renew()).toBe('lost')
    await link.close()
  })
})
