import { tokenOf } from '../log/jetstream/subjects.ts'
import { Fault } from '../shared/fault.ts'
import { type ClusterView, nodePrefix } from './cluster-view.ts'
import type { LeaseBucket } from './lease-bucket.ts'
import type { NodeLease } from './node-lease.ts'

/** Renews the lease of this node, and removes the leases of nodes that have stopped renewing theirs. */
export interface Watchdog {
  start(): Promise<void>
  /** Renews the lease now. */
  renew(): Promise<void>
  stop(): Promise<void>
}

export interface WatchdogOptions {
  node: string
  leaseMs: number
  bucket: LeaseBucket
  view: ClusterView
  lease: NodeLease
  monotonic(): number
  /** Called when this node has lost its lease. It owns nothing then. */
  onLost(): Promise<void>
  /** Called when it has a lease again. */
  onJoined(): void
  /** Closes something whose owner has no lease any more. */
  takeOver(id: string): Promise<void>
  /** Called after each renewal. */
  tick(): Promise<void>
  onNotice(message: string): void
  onError(cause: unknown): void
}

/** Renewals per lease: four of them may fail. */
const renewals = 5
/** How many sessions of a lost node are closed at once. */
const maxTakeovers = 16

export const createWatchdog = (options: WatchdogOptions): Watchdog => {
  const { node, leaseMs, view, lease, monotonic, onError } = options
  const periodMs = leaseMs / renewals
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let beating = Promise.resolve()
  let renewedAt = monotonic()
  const takeovers = createTakeovers(options)

  const rejoin = async (): Promise<void> => {
    await options.onLost()
    await lease.acquire({ isStart: false })
    view.restartClock()
    options.onJoined()
  }

  const renew = async (): Promise<void> => {
    if ((await lease.renew()) === 'lost') await rejoin()
    const now = monotonic()
    // Without NATS, or while this process was stopped, nobody could be seen to renew a lease.
    if (now - renewedAt > 2 * periodMs) view.restartClock()
    renewedAt = now
  }

  const beat = async (): Promise<void> => {
    try {
      if (view.reached() < lease.revision()) view.reopen()
      await renew()
      await options.tick()
      for (const name of expired()) await evict(name)
      takeovers.start()
    } catch (cause) {
      if (!isUnreachable(cause)) onError(cause)
    }
  }
  const repeat = (): void => {
    if (isStopped) return
    timer = setTimeout(() => {
      beating = beat().finally(repeat)
    }, periodMs)
  }

  /** The nodes whose lease has not changed for its whole time. */
  const expired = (): string[] =>
    Array.from(view.nodes).flatMap(([name, { seenAt }]) =>
      name !== node && monotonic() - seenAt >= leaseMs ? [name] : [],
    )

  /** Removes a lease, unless it was renewed just now. Of several nodes that try, one succeeds. */
  const evict = async (name: string): Promise<void> => {
    const seen = view.nodes.get(name)
    if (!seen) return
    const key = nodePrefix + tokenOf(name)
    if (await options.bucket.remove(key, seen.revision)) {
      view.note(key, undefined, seen.revision + 1)
      options.onNotice(evictedNotice(name))
      takeovers.begin(name)
      return
    }
    const entry = await options.bucket.get(key)
    view.note(key, entry, seen.revision + 1)
  }

  return {
    async start() {
      await options.tick().catch(onError)
      repeat()
    },
    renew,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await beating
      await takeovers.settled()
    },
  }
}

/** Closes what nodes without a lease still own. */
const createTakeovers = ({ leaseMs, view, monotonic, takeOver, onError }: WatchdogOptions) => {
  const running = new Map<string, Promise<void>>()
  /** When something was first seen without a living owner. */
  const orphanedAt = new Map<string, number>()

  const run = (id: string): void => {
    if (running.has(id) || running.size >= maxTakeovers) return
    const work = takeOver(id)
      .catch((cause: unknown) => {
        if (!isOwned(cause)) onError(cause)
      })
      .finally(() => {
        running.delete(id)
        orphanedAt.delete(id)
        start()
      })
    running.set(id, work)
  }
  const orphans = (): string[] =>
    Array.from(view.owners).flatMap(([id, { value }]) => {
      const isLiving = view.nodes.get(value.node)?.value.incarnation === value.incarnation
      return value.isReleased || isLiving ? [] : [id]
    })
  /** Its turn comes at once for the node that removed the lease, for others only if that one dies. */
  const start = (): void => {
    const found = new Set(orphans())
    for (const id of orphanedAt.keys()) if (!found.has(id)) orphanedAt.delete(id)
    for (const id of found) {
      const since = orphanedAt.get(id) ?? monotonic()
      orphanedAt.set(id, since)
      if (monotonic() - since >= leaseMs) run(id)
    }
  }

  return {
    start,
    begin(node: string): void {
      for (const id of orphans())
        if (view.owners.get(id)?.value.node === node) {
          orphanedAt.set(id, Number.NEGATIVE_INFINITY)
          run(id)
        }
    },
    settled: () => Promise.all(running.values()),
  }
}

/** Another node was faster. */
const isOwned = (cause: unknown): boolean =>
  cause instanceof Fault && cause.code === 'owned_elsewhere'

const isUnreachable = (cause: unknown): boolean =>
  cause instanceof Fault && cause.code === 'owner_unreachable'

const evictedNotice = (node: string): string =>
  `Node ${node} has not renewed its lease in time. This node closes what its agents left open.`
