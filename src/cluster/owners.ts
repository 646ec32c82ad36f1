import { tokenOf } from '../log/jetstream/subjects.ts'
import { Fault } from '../shared/fault.ts'
import { type ClusterView, nodePrefix, ownerPrefix } from './cluster-view.ts'
import type { LeaseBucket, LeaseEntry } from './lease-bucket.ts'
import type { NodeLease } from './node-lease.ts'
import { type OwnerRecord, ownerRecord } from './records.ts'

/** Who owns what: sessions and loops, by id. An owner is a node whose lease lives. */
export interface Owners {
  /**
   * Makes this node the owner. Returns the node that owned it until its lease expired. Throws
   * `owned_elsewhere`, and `owner_unreachable` when that cannot be decided now.
   */
  claim(id: string): Promise<{ lostNode?: string }>
  /** Gives it up. The record stays, and says where the agent worked: by default, on this node. */
  release(id: string, lastNode?: string): Promise<void>
  /** Notes that something belongs to this node, without owning it. */
  settle(id: string): Promise<void>
  /** Removes the record: what it was about is deleted. */
  remove(id: string): Promise<void>
  /** Grows with each claim of any node. Undefined when this node does not own it. */
  termOf(id: string): number | undefined
  /** Whether a node still has the lease that it had when it began something. Asks the servers if in doubt. */
  isAlive(holder: Pick<OwnerRecord, 'node' | 'incarnation'>): Promise<boolean>
  /** What this node owns. */
  held(): ReadonlySet<string>
  /** Whether this node owned it when it lost its lease, and does not own it again. */
  isRevoked(id: string): boolean
  /** This node has lost its lease, and owns nothing any more. */
  forget(): void
}

export interface OwnersOptions {
  node: string
  bucket: LeaseBucket
  view: ClusterView
  lease: Pick<NodeLease, 'incarnation' | 'isCurrent' | 'renew'>
}

const keyOf = (id: string): string => ownerPrefix + tokenOf(id)

/** How often a claim that another node changed meanwhile is made again. */
const maxTries = 5

export const createOwners = ({ node, bucket, view, lease }: OwnersOptions): Owners => {
  const holdings = createHoldings()
  const claiming = new Map<string, Promise<{ lostNode?: string }>>()

  const write = async (id: string, record: OwnerRecord, revision: number) => {
    const text = JSON.stringify(record)
    const stored = await bucket.put(keyOf(id), text, revision)
    if (stored !== undefined) view.note(keyOf(id), { text, revision: stored })
    return stored
  }

  const tryClaim = async (id: string): Promise<{ lostNode?: string } | undefined> => {
    const losses = holdings.losses()
    // After a long pause, other nodes may have removed the lease.
    if (!lease.isCurrent() && (await lease.renew()) === 'lost') throw leaseLost(node)
    const entry = await bucket.get(keyOf(id))
    const owner = entry && readOwner(entry)
    const isMine = owner?.node === node && owner.incarnation === lease.incarnation()
    const isActive = owner && !owner.isReleased && !isMine
    if (isActive && (await isAlive(owner, { node, bucket, view, lease }))) {
      view.note(keyOf(id), entry)
      throw ownedElsewhere(owner.node)
    }
    const { incarnation } = lease
    const own = { node, incarnation: incarnation(), isReleased: false }
    const revision = await write(id, own, entry?.revision ?? 0)
    // The lease may have been lost meanwhile, and the node may not have another one yet.
    const isLost = losses !== holdings.losses() || own.incarnation !== incarnation()
    if (revision === undefined || isLost) return undefined
    holdings.add(id, revision)
    return isActive ? { lostNode: owner.node } : {}
  }

  const claim = async (id: string): Promise<{ lostNode?: string }> => {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const claimed = await tryClaim(id)
      if (claimed) return claimed
    }
    throw new Fault('owner_unreachable', 'Several nodes want this session at once. Try again.')
  }

  return {
    async claim(id) {
      if (holdings.ids.has(id) && lease.isCurrent()) return {}
      const running = claiming.get(id) ?? claim(id).finally(() => claiming.delete(id))
      claiming.set(id, running)
      return running
    },
    async release(id, lastNode = node) {
      const revision = holdings.drop(id)
      const record = { node: lastNode, incarnation: lease.incarnation(), isReleased: true }
      if (revision !== undefined) await write(id, record, revision)
    },
    async settle(id) {
      await write(id, { node, incarnation: lease.incarnation(), isReleased: true }, 0)
    },
    async remove(id) {
      const revision = holdings.drop(id) ?? view.owners.get(id)?.revision
      if (revision !== undefined && (await bucket.remove(keyOf(id), revision)))
        view.note(keyOf(id), undefined, revision + 1)
    },
    termOf: holdings.revisionOf,
    isAlive: (holder) => isAlive(holder, { node, bucket, view, lease }),
    held: () => holdings.ids,
    isRevoked: holdings.isRevoked,
    forget: holdings.forget,
  }
}

/** What this node owns, with the revisions of the records. */
const createHoldings = () => {
  const revisions = new Map<string, number>()
  const ids = new Set<string>()
  const revoked = new Set<string>()
  let losses = 0
  return {
    ids,
    revisionOf: (id: string): number | undefined => revisions.get(id),
    /** Whether it was lost with the lease. */
    isRevoked: (id: string): boolean => revoked.has(id),
    /** How often everything was lost. */
    losses: (): number => losses,
    add(id: string, revision: number): void {
      revisions.set(id, revision)
      ids.add(id)
      revoked.delete(id)
    },
    drop(id: string): number | undefined {
      const revision = revisions.get(id)
      revisions.delete(id)
      ids.delete(id)
      return revision
    },
    forget(): void {
      losses += 1
      for (const id of ids) revoked.add(id)
      revisions.clear()
      ids.clear()
    },
  }
}

/** Whether the lease of an owner lives, from the leader: the view may be behind. */
const isAlive = async (
  { node: name, incarnation }: Pick<OwnerRecord, 'node' | 'incarnation'>,
  { node, bucket, view, lease }: OwnersOptions,
): Promise<boolean> => {
  if (name === node) return incarnation === lease.incarnation()
  const key = nodePrefix + tokenOf(name)
  const entry = await bucket.get(key)
  if (entry) view.note(key, entry)
  return entry !== undefined && view.nodes.get(name)?.value.incarnation === incarnation
}

const readOwner = ({ text }: LeaseEntry): OwnerRecord | undefined => {
  try {
    return ownerRecord.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

const ownedElsewhere = (owner: string): Fault =>
  new Fault('owned_elsewhere', `The session runs on node ${owner}.`)

const leaseLost = (node: string): Fault =>
  new Fault(
    'owner_unreachable',
    `Node ${node} has lost its lease and is joining the cluster again.`,
  )
