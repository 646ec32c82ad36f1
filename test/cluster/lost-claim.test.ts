import { expect, test } from 'vitest'
import { openClusterView } from '../../src/cluster/cluster-view.ts'
import { type LeaseBucket, openLeaseBucket } from '../../src/cluster/lease-bucket.ts'
import { createNodeLease } from '../../src/cluster/node-lease.ts'
import { createOwners } from '../../src/cluster/owners.ts'
import { openLink } from '../../src/log/jetstream/nats-link.ts'
import { describeWithNats } from '../support/describe-with-nats.ts'

describeWithNats('a node that loses its lease during a claim', (nats) => {
  test('does not own the session, until it has a lease again', async () => {
    const link = await openLink({ servers: nats.urls })
    const bucket = await openLeaseBucket(link, { name: 'claims', replicas: 1, callMs: 1500 })
    const monotonic = () => performance.now()
    const onError = (cause: unknown) => expect.unreachable(String(cause))
    const view = openClusterView({ kv: bucket.kv, monotonic, onError })
    const lease = createNodeLease({
      ...{ bucket, leaseMs: 1500, monotonic, view },
      description: () => ({
        ...{ node: 'one', home: 'h', url: 'http://127.0.0.1/', version: '0', agents: [] },
        ...{ maxAgents: 1, startedAt: 0 },
      }),
      status: () => ({ sessions: 0, running: 0 }),
    })
    await lease.acquire({ isStart: true })
    const claims: LeaseBucket = {
      ...bucket,
      async put(...entry) {
        const revision = await bucket.put(...entry)
        if (await bucket.remove('node.one', lease.revision())) owners.forget()
        return revision
      },
    }
    const isCurrent = () => false // so the lease is checked each time
    const owners = createOwners({
      ...{ node: 'one', bucket: claims, view, lease: { ...lease, isCurrent } },
    })
    await expect(owners.claim('a')).rejects.toMatchObject({ code: 'owner_unreachable' })
    expect(owners.held().has('a')).toBe(false)
    await lease.acquire({ isStart: false })
    expect(await createOwners({ node: 'one', bucket, view, lease }).claim('a')).toEqual({
      lostNode: 'one',
    })
    await view.close()
    await link.close()
  })
})
