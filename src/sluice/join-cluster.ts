import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { AgentDescription } from '../agents/agent.ts'
import { knownAgents } from '../agents/known-agents.ts'
import { type Cluster, openCluster } from '../cluster/cluster.ts'
import { type EventTail, openEventTail, type TailReaders } from '../cluster/event-tail.ts'
import { createPeers } from '../cluster/peers.ts'
import { createPlacement } from '../cluster/placement.ts'
import { readPrivate, writePrivate } from '../files/private-file.ts'
import type { ClusterFigures } from '../http/cluster-metrics.ts'
import type { OtherNodes } from '../http/other-nodes.ts'
import type { JetStreamLog } from '../log/jetstream/jetstream-log.ts'
import { openLink } from '../log/jetstream/nats-link.ts'
import { natsOptionsOf } from '../log/jetstream/nats-login.ts'
import { unknownSession } from '../log/log-fault.ts'
import type { HistoryStore } from '../log/stored-history.ts'
import { version } from '../process/version.ts'
import { defined } from '../shared/fields.ts'
import type { OtherMachines } from '../watch/other-machines.ts'
import { createForwarder } from './forwarder.ts'
import { createNodeList } from './node-list.ts'
import { type NatsSettings, nodeNameOf } from './open-nats-log.ts'
import { createOtherMachines } from './other-machines.ts'

export interface JoinOptions {
  /** The data directory. */
  data: string
  settings: NatsSettings
  maxAgents: number
  /** The directories that projects may be in. */
  roots: readonly string[] | undefined
  /** Whether the program of an agent is here. */
  hasAgent(agent: AgentDescription): boolean
  /** Where other nodes and people reach the server of this node. */
  url(): string
  onNotice(message: string): void
  onError(cause: unknown): void
}

/** What makes a log in a NATS cluster a node of several. */
export interface JoinedNode {
  readonly cluster: Cluster
  /** For the routes of this node. */
  readonly nodes: OtherNodes
  /** The conversations of agents, if nodes store them. */
  readonly history: HistoryStore | undefined
  /** For agents in terminals. */
  readonly machines: OtherMachines
  /** Sends the events of other nodes to the readers of this one. */
  follow(readers: TailReaders): Promise<void>
  figures(): Promise<ClusterFigures>
  close(): Promise<void>
}

/** Joins the nodes that share a log. Throws `node_name_taken`. */
export const joinCluster = async (log: JetStreamLog, options: JoinOptions): Promise<JoinedNode> => {
  const { settings, onError, onNotice } = options
  const { names, replicas, objects } = log
  const { tenant = 'default' } = settings
  // Apart from the log: what readers get must not hold up the appends.
  const link = await openLink(natsOptionsOf({ ...settings, tenant }))
  const startedAt = Date.now()
  const home = homeOf(options.data)
  const node = nodeNameOf(settings)
  let tail: EventTail | undefined
  const cluster = await openCluster({
    ...{ link, names, replicas, onError, onNotice, leaseMs: settings.leaseMs },
    description: () => ({
      ...{ node, home, url: options.url(), version, startedAt, maxAgents: options.maxAgents },
      agents: knownAgents.filter(options.hasAgent).map(({ name }) => name),
      ...(options.roots && { roots: [...options.roots] }),
      ...defined({ nats: link.connection.info?.version, lag: tail?.lag() }),
    }),
  }).catch(async (cause: unknown) => {
    await link.close()
    throw cause
  })
  log.guardWrites(cluster.mayWrite)
  const peers = createPeers({ node, link, names, objects, onError })
  const placement = createPlacement({ cluster, peers })
  const otherThanThis = (found: string): string | undefined => (found === node ? undefined : found)
  const machines = createOtherMachines({ cluster, peers })
  return {
    cluster,
    history: settings.history ? log.history : undefined,
    machines,
    nodes: {
      node,
      async nodeOf(sessionId, needs) {
        const record = await log.sessions.get(sessionId)
        if (!record) throw unknownSession(sessionId)
        const { id, agent, cwd: directory } = record
        return otherThanThis(await placement.nodeOf({ id, agent, directory }, needs))
      },
      isLiving: machines.isLiving,
      self: () => ({ node, incarnation: cluster.incarnation() }),
      keepsLease: cluster.isAlive,
      ownerOf: (id) => otherThanThis(cluster.ownerOf(id) ?? node),
      placeFor: async (wanted) => otherThanThis(await placement.placeFor(wanted)),
      ...createForwarder({ cluster, peers }),
      ...createNodeList({ cluster, peers, replicas }),
    },
    async follow(readers) {
      tail = await openEventTail({ link, log, readers, onError })
    },
    figures: async () => ({
      ...(await log.figures()),
      ...cluster.counts(),
      nodes: cluster.nodes(),
      tailLag: tail?.lag() ?? 0,
    }),
    async close() {
      await tail?.close()
      await cluster.close()
      await link.close()
    },
  }
}

/** A random name of the data directory, which only one process at a time can have open. */
const homeOf = (data: string): string => {
  const path = join(data, 'node-id')
  const stored = readPrivate(path)?.toString()
  if (stored) return stored
  const id = randomUUID()
  writePrivate(path, id)
  return id
}
