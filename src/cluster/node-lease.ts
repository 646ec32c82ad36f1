import { randomUUID } from 'node:crypto'
import { tokenOf } from '../log/jetstream/subjects.ts'
import { Fault } from '../shared/fault.ts'
import { type ClusterView, nodePrefix } from './cluster-view.ts'
import type { LeaseBucket } from './lease-bucket.ts'
import { type NodeRecord, type NodeStatus, nodeRecord } from './records.ts'

/** What a node says about itself for as long as it runs. */
export type NodeDescription = Pick<
  NodeRecord,
  | 'node'
  | 'home'
  | 'url'
  | 'version'
  | 'agents'
  | 'roots'
  | 'maxAgents'
  | 'startedAt'
  | 'nats'
  | 'lag'
>

/**
 * The lease of this node: an entry that it writes again and again, each time from the revision that it
 * wrote last. When somebody has removed the entry, the write is refused, and the lease is lost.
 */
export interface NodeLease {
  /** Changes each time the lease is acquired. */
  incarnation(): string
  /** Whether the last renewal is so recent that no other node can have removed the lease. */
  isCurrent(): boolean
  revision(): number
  /** Gets the lease. Waits for the lease of a node of the same name to expire. Throws `node_name_taken`. */
  acquire(options: { isStart: boolean }): Promise<void>
  /** Renews it. Returns `lost` when another node has removed it. Throws when NATS does not answer. */
  renew(): Promise<'held' | 'lost'>
  setDraining(isDraining: boolean): void
  isDraining(): boolean
  release(): Promise<void>
}

export interface NodeLeaseOptions {
  bucket: LeaseBucket
  view: Pick<ClusterView, 'note'>
  description(): NodeDescription
  status(): NodeStatus
  leaseMs: number
  monotonic(): number
}

export const createNodeLease = (options: NodeLeaseOptions): NodeLease => {
  const { bucket, view, description, status, leaseMs, monotonic } = options
  const key = nodePrefix + tokenOf(description().node)
  let incarnation = ''
  let revision = 0
  let renewal = 0
  let renewedAt = Number.NEGATIVE_INFINITY
  let isDraining = false

  const write = async (from: number): Promise<boolean> => {
    const startedAt = monotonic()
    renewal += 1
    const record: NodeRecord = {
      ...description(),
      ...status(),
      ...{ incarnation, isDraining, renewal },
    }
    const text = JSON.stringify(record)
    const stored = await bucket.put(key, text, from)
    if (stored === undefined) return false
    revision = stored
    renewedAt = startedAt
    view.note(key, { text, revision })
    return true
  }

  /** Waits until an entry has not changed for the time of a lease, or has changed. */
  const untilExpired = async (from: number): Promise<void> => {
    const end = monotonic() + leaseMs
    while (monotonic() < end) {
      await new Promise((resolve) => setTimeout(resolve, leaseMs / 10))
      const entry = await bucket.get(key)
      if (entry?.revision !== from) return
    }
  }

  /**
   * A renewal that got no answer may have been stored all the same, also later, behind the next one. Only
   * this node writes its incarnation, so such an entry shows no other writer.
   */
  const ownRevision = async (): Promise<number | undefined> => {
    const entry = await bucket.get(key)
    return entry && readNode(entry.text)?.incarnation === incarnation ? entry.revision : undefined
  }

  const renew = oneAtATime<'held' | 'lost'>(async () => {
    for (let from: number | undefined = revision; from !== undefined; from = await ownRevision())
      if (await write(from)) return 'held'
    return 'lost'
  })

  return {
    incarnation: () => incarnation,
    isCurrent: () => monotonic() - renewedAt < leaseMs * currentPart,
    revision: () => revision,
    async acquire({ isStart }) {
      incarnation = randomUUID()
      let changes = 0
      for (;;) {
        const entry = await bucket.get(key)
        const holder = entry && readNode(entry.text)
        // The last process on this data directory has ended: only one can have it open.
        const isFree = !entry || (isStart && holder?.home === description().home)
        if (isFree && (await write(entry?.revision ?? 0))) return
        if (isFree || !entry) continue
        if (changes > 1) throw nameTaken(description().node, holder?.url)
        await untilExpired(entry.revision)
        const later = await bucket.get(key)
        if (later?.revision === entry.revision) await bucket.remove(key, entry.revision)
        else if (later) changes += 1
      }
    },
    renew,
    setDraining(value) {
      isDraining = value
    },
    isDraining: () => isDraining,
    async release() {
      if (await bucket.remove(key, revision)) view.note(key, undefined, revision + 1)
    },
  }
}

/**
 * Runs a call after the one before it: two writes from the same revision would look like two nodes.
 * Calls that wait for the same turn share it.
 */
const oneAtATime = <Result>(call: () => Promise<Result>): (() => Promise<Result>) => {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<Result> | undefined
  const start = (): Promise<Result> => {
    next = undefined
    return call()
  }
  return () => {
    next ??= running.then(start, start)
    running = next
    return next
  }
}

/** Other nodes count the time of a lease from a later moment, so this leaves a margin. */
const currentPart = 0.8

const readNode = (text: string): NodeRecord | undefined => {
  try {
    return nodeRecord.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

const nameTaken = (node: string, url = 'another address'): Fault =>
  new Fault(
    'node_name_taken',
    `A node named ${node} is running at ${url}. Choose another name with --node.`,
  )
