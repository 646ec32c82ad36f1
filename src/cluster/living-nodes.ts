import { setTimeout as delay } from 'node:timers/promises'
import { type KV, Kvm } from '@nats-io/kv'
import type { NatsLink } from '../log/jetstream/nats-link.ts'
import { isStreamMissing } from '../log/jetstream/server-errors.ts'
import { idIn, type Names } from '../log/jetstream/subjects.ts'
import { nodePrefix } from './cluster-view.ts'

const everyMs = 250

/**
 * The names of nodes that renew their leases. Returns at once when there is no lease, otherwise when
 * one is renewed, or after the time of a lease: then those that are there belong to dead nodes.
 */
export const livingNodes = async (
  link: NatsLink,
  { nodeBucket }: Pick<Names, 'nodeBucket'>,
  leaseMs = 15_000,
): Promise<string[]> => {
  const kv = await openExisting(link, nodeBucket)
  if (!kv) return []
  const before = await revisions(kv)
  const end = performance.now() + leaseMs * 1.2
  while (before.size > 0 && performance.now() < end) {
    await delay(everyMs)
    const now = await revisions(kv)
    const living = [...now].filter(([key, revision]) => before.get(key) !== revision)
    if (living.length > 0) return living.map(([key]) => idIn(key.slice(nodePrefix.length)))
    if (now.size === 0) return []
  }
  return []
}

/** The bucket of nodes. Undefined when no node has ever run there. */
const openExisting = async (link: NatsLink, name: string): Promise<KV | undefined> => {
  const exists = await link.insist(() =>
    link.manager.streams.info(`KV_${name}`).then(
      () => true,
      (cause: unknown) => {
        if (isStreamMissing(cause)) return false
        throw cause
      },
    ),
  )
  if (!exists) return undefined
  return new Kvm(link.client).open(name, { allow_direct: false })
}

const revisions = async (kv: KV): Promise<Map<string, number>> => {
  const found = new Map<string, number>()
  for await (const key of await kv.keys(`${nodePrefix}>`)) {
    const entry = await kv.get(key)
    if (entry?.operation === 'PUT') found.set(key, entry.revision)
  }
  return found
}
