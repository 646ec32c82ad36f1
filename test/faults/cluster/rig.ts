import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NatsCluster, startNats } from '../../support/nats-server.ts'
import { canMount, mountDisk, type SmallDisk } from '../../support/small-disk.ts'
import { type ProxyMode, startProxy } from '../../support/tcp-proxy.ts'
import type { Trial } from '../fault.ts'
import type { Random } from '../random.ts'
import { createLocks, type Locks } from './locks.ts'

/** Three NATS servers, and three nodes that reach each of them through a proxy of their own. */
export interface Rig {
  readonly nats: NatsCluster
  readonly nodes: readonly RigNode[]
  readonly sessionIds: readonly string[]
  readonly tenant: string
  /** The disk of the last NATS server, and of the last node; undefined where none can be mounted. */
  readonly disks: { nats: SmallDisk; node: SmallDisk } | undefined
  /** What faults that overlap must not strike at the same time. */
  readonly locks: Locks
  /** The name of the node that was the last to write to a session, if that is known. */
  writerOf(sessionId: string): string | undefined
  /** Creates a key and revokes it. Resolves when every node refuses it. Absent: the nodes have no keys. */
  revokeKey?(random: Random): Promise<void>
}

/** A node of the rig: a process that can be killed, stopped and started again. */
export interface RigNode {
  readonly name: string
  setLink(mode: ProxyMode): void
  /** Starts it, with a clock that is wrong by so many seconds. Resolves when it has joined. */
  start(clockSkewSeconds?: number): Promise<void>
  kill(): Promise<void>
  /** Sends SIGTERM, and waits until it has closed everything. */
  stop(): Promise<void>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
}

/** What a node is started with. */
export interface NodeSettings {
  name: string
  /** The addresses of its proxies. */
  servers: readonly string[]
  tenant: string
  data: string
  setLink(mode: ProxyMode): void
}

/** Shorter than by default, so that more faults fit into a run. */
export const leaseMs = 2500

/** Starts the servers and the proxies, and makes the nodes. They end with the trial. */
export const createRig = async <Node extends RigNode>(
  trial: Trial,
  makeNode: (settings: NodeSettings) => Node,
): Promise<Omit<Rig, 'nodes' | 'sessionIds' | 'writerOf'> & { nodes: Node[] }> => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-cluster-'))
  trial.defer(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  const disks = canMount ? { nats: mountDisk(1024), node: mountDisk(64) } : undefined
  trial.defer(() => {
    disks?.nats.unmount()
    disks?.node.unmount()
  })
  const nats = await startNats(3, {
    advertises: false, // these addresses would lead around the proxies
    storeDirectory: (index) => (index === 2 ? disks?.nats.path : undefined),
  })
  trial.defer(() => nats.stop())
  const tenant = 'checked'
  const nodes = await Promise.all(
    ['one', 'two', 'three'].map(async (name, index) => {
      const proxies = await Promise.all(nats.urls.map(startProxy))
      trial.defer(() => Promise.all(proxies.map((proxy) => proxy.close())))
      const node = makeNode({
        ...{ name, tenant, servers: proxies.map(({ url }) => url) },
        data: index === 2 && disks ? disks.node.path : join(directory, name),
        setLink(mode) {
          for (const proxy of proxies) proxy.set(mode)
        },
      })
      trial.defer(() => node.kill())
      return node
    }),
  )
  return { nats, nodes, tenant, disks, locks: createLocks() }
}
