import { z } from 'zod'
import type { NodeInfo } from '../api/types.ts'
import type { Cluster, ClusterNode } from '../cluster/cluster.ts'
import type { Peers } from '../cluster/peers.ts'
import type { OtherNodes } from '../http/other-nodes.ts'
import { defined } from '../shared/fields.ts'
import { peerValue } from './forwarder.ts'

/** The kind of requests that drain a node. */
const drainKind = 'drain'

export interface NodeListOptions {
  cluster: Cluster
  peers: Peers
  /** How many NATS servers store everything. */
  replicas: number
}

/** Lists the nodes, and drains them. */
export const createNodeList = ({
  cluster,
  peers,
  replicas,
}: NodeListOptions): Pick<OtherNodes, 'list' | 'storage' | 'setDraining'> => {
  peers.serve(drainKind, async (isDraining) => cluster.setDraining(z.boolean().parse(isDraining)))
  return {
    list: () => cluster.nodes().map((node) => infoOf(node, cluster)),
    storage: () => ({ replicas, promise: promiseOf(cluster.nodes(), replicas) }),
    async setDraining(node, isDraining) {
      if (node === cluster.node) return cluster.setDraining(isDraining)
      await peerValue({ cluster, peers }, node, drainKind, isDraining)
      await cluster.refresh()
    },
  }
}

const infoOf = (record: ClusterNode, { node, leaseMs }: Cluster): NodeInfo => {
  const { version, url, sessions, running, maxAgents, agents, roots, lag, nats } = record
  return {
    ...{ name: record.node, isThis: record.node === node, version, url },
    state: record.isDraining ? 'draining' : 'active',
    ...{ sessions, running, maxAgents, agents, leaseMs },
    leaseAgeMs: Math.round(record.leaseAgeMs),
    startedAt: record.startedAt,
    ...defined({ roots, lag, nats }),
  }
}

/** What the NATS servers promise about stored events. Whether they flush each write, they do not say. */
const promiseOf = (nodes: readonly ClusterNode[], replicas: number): string => {
  const isOld = nodes.some(({ nats }) => nats !== undefined && isBefore210(nats))
  const flush = isOld
    ? 'nats-server 2.9 flushes to the disk every two minutes'
    : 'nats-server flushes to the disk every two minutes, unless `sync_interval: always` is set'
  if (replicas === 1)
    return `One NATS server stores everything. It survives a crash of the process, but ${flush}: a power cut can lose that much.`
  const spare = Math.floor((replicas - 1) / 2)
  return `${replicas} NATS servers store everything. The cluster works without ${spare} of them, and stored events survive a crash of all processes. But ${flush}: a power cut of all servers at once can lose that much.`
}

const isBefore210 = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < 2 || (major === 2 && minor < 10)
}
