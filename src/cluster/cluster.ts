import { setTimeout as delay } from 'node:timers/promises'
import type { NatsLink } from '../log/jetstream/nats-link.ts'
import type { Names } from '../log/jetstream/subjects.ts'
import { type Ownership, type OwnershipListener, ownerLost } from '../session/registry/ownership.ts'
import { type ClusterView, openClusterView } from './cluster-view.ts'
import { openLeaseBucket } from './lease-bucket.ts'
import { createNodeLease, type NodeDescription } from './node-lease.ts'
import { createOwners, type Owners } from './owners.ts'
import type { NodeRecord, NodeStatus } from './records.ts'
import { createWatchdog } from './watchdog.ts'
import { createWriteGuard, type WriteGuard } from './write-guard.ts'

/** A node that shares a log with others: which of them live, and which one runs a session. */
export interface Cluster extends Ownership {
  readonly node: string
  readonly leaseMs: number
  /** The nodes with a lease, this one too, by name. */
  nodes(): ClusterNode[]
  /** The living node that owns something; undefined when there is none. */
  ownerOf(id: string): string | undefined
  /** Differs each time this node gets its lease. */
  incarnation(): string
  /** Whether a node still has the lease that it had when it began something. */
  isAlive: Owners['isAlive']
  /** Decides whether this node may write events of a session: only while its lease is sure. */
  mayWrite: WriteGuard['mayWrite']
  /** Whether this node does what only one of them may do, such as deleting old sessions. */
  isHousekeeper(): boolean
  /** What happened since this process joined. */
  counts(): ClusterCounts
  /** Whether this node takes no new sessions. */
  isDraining(): boolean
  /** Takes no new sessions from now on and releases idle ones; false: takes them again. */
  setDraining(isDraining: boolean): Promise<void>
  /** Releases a session of this node that has no work. Resolves with whether it is not owned any more. */
  releaseIfIdle(id: string): Promise<boolean>
  /** Resolves when this node has seen what the others wrote before. */
  refresh(): Promise<void>
  /** Called when nodes or owners have changed. */
  onChange(listener: () => void): () => void
  /** Releases everything, so that other nodes can take over at once. */
  close(): Promise<void>
}

export interface ClusterCounts {
  /** How many sessions of lost nodes this one has taken over. */
  takeovers: number
  /** How often this node has lost its lease. */
  lostLeases: number
}

/** A node with a lease. */
export interface ClusterNode extends NodeRecord {
  /** How long ago its lease was renewed, as far as this node has seen. */
  leaseAgeMs: number
  /** How many sessions it owns. */
  owned: number
}

export interface ClusterOptions {
  link: NatsLink
  names: Names
  replicas: number
  description(): NodeDescription
  /** How long a node may be silent before others take over its sessions. Default: 15 seconds. */
  leaseMs?: number | undefined
  /** Receives what people should know, such as a lost lease. */
  onNotice(message: string): void
  onError(cause: unknown): void
  monotonic?(): number
}

/** Joins the cluster of a tenant. Throws `node_name_taken`. */
export const openCluster = async (options: ClusterOptions): Promise<Cluster> => {
  const { leaseMs = 15_000, monotonic = () => performance.now() } = options
  const parts = await openParts({ ...options, leaseMs, monotonic })
  const { node, view, lease, owners, listeners, watchdog, guard, counts } = parts
  try {
    await lease.acquire({ isStart: true })
    await viewComplete(view, lease.revision())
  } catch (cause) {
    await view.close()
    throw cause
  }
  await watchdog.start()
  const releaseIdle = (id?: string) =>
    Promise.all(Array.from(listeners, (each) => each.releaseIdle(id)))
  return {
    ...{ node, leaseMs, claim: owners.claim, release: owners.release },
    ...{ settle: owners.settle, remove: owners.remove, termOf: owners.termOf },
    holds: (id) => owners.held().has(id),
    isElsewhere: (id) => livingOwner(view, id, node) !== undefined,
    wasHere: (id) => view.owners.get(id)?.value.node === node,
    ...{ incarnation: lease.incarnation, isAlive: owners.isAlive, mayWrite: guard.mayWrite },
    follow(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    nodes: () => nodesOf(view, monotonic()),
    ownerOf: (id) => (owners.held().has(id) ? node : livingOwner(view, id, node)),
    lastOwnerOf: (id) => view.owners.get(id)?.value.node,
    isHousekeeper: () => lease.isCurrent() && firstNode(view) === node,
    counts: () => ({ ...counts }),
    isDraining: lease.isDraining,
    async setDraining(isDraining) {
      lease.setDraining(isDraining)
      await watchdog.renew()
      if (!isDraining) return
      await releaseIdle()
      // The others see at once what is left.
      await watchdog.renew()
    },
    async releaseIfIdle(id) {
      await releaseIdle(id)
      return !owners.held().has(id)
    },
    async refresh() {
      await watchdog.renew()
      await viewComplete(view, lease.revision())
    },
    onChange: view.onChange,
    async close() {
      guard.close()
      await watchdog.stop()
      const { onError } = options
      await Promise.all(Array.from(owners.held(), (id) => owners.release(id).catch(onError)))
      await lease.release().catch(onError)
      await view.close()
    },
  }
}

type PartOptions = ClusterOptions & { leaseMs: number; monotonic(): number }

const openParts = async (options: PartOptions) => {
  const { link, names, replicas, description, leaseMs, monotonic, onNotice, onError } = options
  const { node } = description()
  const bucket = await openLeaseBucket(link, {
    ...{ name: names.nodeBucket, replicas, callMs: leaseMs },
  })
  const view = openClusterView({ kv: bucket.kv, monotonic, onError })
  const listeners = new Set<OwnershipListener>()
  const status = (): NodeStatus => statusOf(listeners)
  const lease = createNodeLease({ bucket, view, description, status, leaseMs, monotonic })
  const owners = createOwners({ node, bucket, view, lease })
  const guard = createWriteGuard({ owners, lease })
  const counts: ClusterCounts = { takeovers: 0, lostLeases: 0 }
  const watchdog = createWatchdog({
    ...{ node, leaseMs, bucket, view, lease, monotonic, onError, onNotice },
    async takeOver(id) {
      for (const { onOrphan } of listeners) await onOrphan(id)
      counts.takeovers += 1
    },
    async onLost() {
      counts.lostLeases += 1
      owners.forget()
      guard.check()
      onNotice(lostNotice(node))
      const reason = ownerLost(node)
      // What cannot be stopped is fenced: the node joins again all the same.
      await Promise.all(Array.from(listeners, (each) => each.onLost(reason).catch(onError)))
    },
    onJoined() {
      for (const listener of listeners) listener.onJoined?.()
    },
    async tick() {
      guard.check()
      if (lease.isDraining()) await Promise.all(Array.from(listeners, (each) => each.releaseIdle()))
    },
  })
  return { node, view, lease, owners, listeners, watchdog, guard, counts }
}

/** How long a new node waits for what the others have written. */
const viewMs = 10_000
const viewPauseMs = 20

/** Resolves when this node knows which sessions it had when it ended. */
const viewComplete = async (view: ClusterView, revision: number): Promise<void> => {
  const end = performance.now() + viewMs
  while (view.reached() < revision && performance.now() < end) await delay(viewPauseMs)
}

/** The other node that owns something, if its lease lives. */
const livingOwner = (
  { nodes, owners }: Pick<ClusterView, 'nodes' | 'owners'>,
  id: string,
  self: string,
): string | undefined => {
  const owner = owners.get(id)?.value
  if (!owner || owner.isReleased || owner.node === self) return undefined
  return nodes.get(owner.node)?.value.incarnation === owner.incarnation ? owner.node : undefined
}

/** The first node by name that takes sessions. */
const firstNode = ({ nodes }: Pick<ClusterView, 'nodes'>): string | undefined =>
  Array.from(nodes.values(), ({ value }) => value)
    .filter(({ isDraining }) => !isDraining)
    .map(({ node }) => node)
    .sort()[0]

const statusOf = (listeners: ReadonlySet<OwnershipListener>): NodeStatus => {
  const all = Array.from(listeners, (listener) => listener.status())
  return {
    sessions: all.reduce((sum, { sessions }) => sum + sessions, 0),
    running: all.reduce((sum, { running }) => sum + running, 0),
  }
}

const nodesOf = (
  { nodes, owners }: Pick<ClusterView, 'nodes' | 'owners'>,
  now: number,
): ClusterNode[] => {
  const active = [...owners.values()].filter(({ value }) => !value.isReleased)
  return Array.from(nodes.values(), ({ value, seenAt }) => ({
    ...value,
    leaseAgeMs: Math.max(0, now - seenAt),
    owned: active.filter((owner) => owner.value.incarnation === value.incarnation).length,
  })).sort((left, right) => (left.node < right.node ? -1 : 1))
}

const lostNotice = (node: string): string =>
  `Node ${node} has lost its lease: other nodes did not hear from it in time, and took over its sessions. Its agents were stopped. It joins the cluster again.`
