import type { KV } from '@nats-io/kv'
import { serverErrorOf } from '../log/jetstream/server-errors.ts'
import { idIn } from '../log/jetstream/subjects.ts'
import type { LeaseEntry } from './lease-bucket.ts'
import { type NodeRecord, nodeRecord, type OwnerRecord, ownerRecord } from './records.ts'

/** A record of the bucket, as this node has seen it. */
export interface Seen<Value> {
  readonly value: Value
  readonly revision: number
  /** When this node first saw the revision, by a clock that nobody can set. */
  seenAt: number
}

/** A copy of the bucket that follows its changes. It may be a moment behind. */
export interface ClusterView {
  readonly nodes: ReadonlyMap<string, Seen<NodeRecord>>
  /** By the id of what is owned. */
  readonly owners: ReadonlyMap<string, Seen<OwnerRecord>>
  /** Adds what this node has read or written itself. Without an entry, the key was removed. */
  note(key: string, entry: LeaseEntry | undefined, revision?: number): void
  /** Counts the time that leases have left from now on. */
  restartClock(): void
  /** The revision up to which the view is complete. */
  reached(): number
  /** Opens the watch again: it can fall silent without an error when a server dies. */
  reopen(): void
  onChange(listener: () => void): () => void
  close(): Promise<void>
}

export interface ClusterViewOptions {
  kv: KV
  monotonic(): number
  onError(cause: unknown): void
}

export const nodePrefix = 'node.'
export const ownerPrefix = 'owner.'

export const openClusterView = ({ kv, monotonic, onError }: ClusterViewOptions): ClusterView => {
  const nodes = new Map<string, Seen<NodeRecord>>()
  const owners = new Map<string, Seen<OwnerRecord>>()
  /** The newest revision of each key, also of removed ones. */
  const revisions = new Map<string, number>()
  const listeners = new Set<() => void>()
  let reached = 0
  let isClosed = false
  let current: Awaited<ReturnType<KV['watch']>> | undefined

  const apply = (key: string, text: string | undefined, revision: number): void => {
    if (revision <= (revisions.get(key) ?? 0)) return
    revisions.set(key, revision)
    const seenAt = monotonic()
    const stored: unknown = text === undefined ? undefined : parse(text)
    if (key.startsWith(nodePrefix))
      place(nodes, key.slice(nodePrefix.length), { stored, schema: nodeRecord, revision, seenAt })
    if (key.startsWith(ownerPrefix))
      place(owners, key.slice(ownerPrefix.length), {
        ...{ stored, schema: ownerRecord, revision, seenAt },
      })
    for (const listener of listeners) listener()
  }

  const follow = async (): Promise<void> => {
    current = await kv.watch()
    if (isClosed) current.stop()
    for await (const entry of current) {
      apply(entry.key, entry.operation === 'PUT' ? entry.string() : undefined, entry.revision)
      reached = Math.max(reached, entry.revision)
    }
  }
  const run = async (): Promise<void> => {
    while (!isClosed)
      try {
        await follow()
      } catch (cause) {
        if (isClosed) return
        // The status of the log says that the cluster is away.
        if (serverErrorOf(cause) !== 'transient') onError(cause)
        await new Promise((resolve) => setTimeout(resolve, retryMs))
      }
  }
  const running = run()

  return {
    nodes,
    owners,
    note: (key, entry, revision = 0) =>
      entry ? apply(key, entry.text, entry.revision) : apply(key, undefined, revision),
    restartClock() {
      for (const node of nodes.values()) node.seenAt = monotonic()
    },
    reached: () => reached,
    reopen: () => current?.stop(),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      isClosed = true
      current?.stop()
      await running
    },
  }
}

const retryMs = 250

interface Placed<Value> {
  stored: unknown
  schema: { safeParse(value: unknown): { success: boolean; data?: Value | undefined } }
  revision: number
  seenAt: number
}

/** Puts a record into a map. One that a newer version wrote in another way counts as none. */
const place = <Value>(
  map: Map<string, Seen<Value>>,
  token: string,
  { stored, schema, revision, seenAt }: Placed<Value>,
): void => {
  const { data } = schema.safeParse(stored)
  if (data === undefined) map.delete(idIn(token))
  else map.set(idIn(token), { value: data, revision, seenAt })
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
