import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NatsCluster, startNats } from '../../support/nats-server.ts'
import { canMount, mountDisk, type SmallDisk } from '../../support/small-disk.ts'
import { type ProxyMode, startProxy } from '../../support/tcp-proxy.ts'
import type { Trial } from '../fault.ts'
import { createHistory, type History } from './history.ts'
import { createNode, type RigNode } from './rig-node.ts'

/** Three NATS servers, and three nodes that reach each of them through a proxy of their own. */
export interface Rig {
  readonly nats: NatsCluster
  readonly nodes: readonly RigNode[]
  readonly history: History
  readonly sessionIds: readonly string[]
  readonly tenant: string
  /** The disk of the last NATS server, and of the last node; undefined where none can be mounted. */
  readonly disks: { nats: SmallDisk; node: SmallDisk } | undefined
}

/** Shorter than by default, so that more faults fit into a run. */
export const leaseMs = 2500
const sessions = 6

/** Starts everything. It ends with the trial. */
export const startRig = async (trial: Trial): Promise<Rig> => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-cluster-'))
  trial.defer(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  const mounted = canMount ? { nats: mountDisk(256), node: mountDisk(64) } : undefined
  trial.defer(() => {
    mounted?.nats.unmount()
    mounted?.node.unmount()
  })
  const nats = await startNats(3, {
    advertises: false,
    storeDirectory: (index) => (index === 2 ? mounted?.nats.path : undefined),
  })
  trial.defer(() => nats.stop())
  const history = createHistory()
  const tenant = 'checked'
  const sessionIds = Array.from({ length: sessions }, (_, index) => `s${index}`)
  const nodes = await Promise.all(
    ['one', 'two', 'three'].map(async (name, index) => {
      const proxies = await Promise.all(nats.urls.map(startProxy))
      trial.defer(() => Promise.all(proxies.map((proxy) => proxy.close())))
      const data = index === 2 && mounted ? mounted.node.path : join(directory, name)
      const servers = proxies.map(({ url }) => url)
      const setLink = (mode: ProxyMode): void => {
        for (const proxy of proxies) proxy.set(mode)
      }
      const settings = [servers.join(), tenant, name, data, String(leaseMs), String(sessions)]
      const node = createNode(name, settings, { history, setLink })
      trial.defer(() => node.kill())
      return node
    }),
  )
  return { nats, nodes, history, sessionIds, tenant, disks: mounted }
}
