import { DiscardPolicy, StorageType } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { openBuckets } from './buckets.ts'
import { type NatsOptions, openLink } from './nats-link.ts'
import { namesOf } from './subjects.ts'

export interface TenantSetup {
  readonly tenant: string
  readonly replicas?: number | undefined
  /** How many bytes the tenant may store, each replica counted once. Default: no limit. */
  readonly maxBytes?: number | undefined
}

/**
 * Creates the streams of a tenant whose own users may not. Streams that exist get the limits. Throws what
 * `openLink` and `openBuckets` throw.
 */
export const setUpTenant = async (
  nats: NatsOptions,
  { tenant, replicas, maxBytes }: TenantSetup,
): Promise<void> => {
  const names = namesOf(tenant)
  const link = await openLink(nats)
  try {
    await openBuckets(link, names, replicas)
    const { manager, client, connection } = link
    await new Kvm(client).create(names.nodeBucket, {
      ...{ history: 1, storage: StorageType.File, allow_direct: false },
      replicas: replicas ?? (connection.info?.cluster ? 3 : 1),
    })
    if (maxBytes === undefined) return
    const limits = {
      [names.eventStream]: maxBytes * eventShare,
      [`OBJ_${names.objectBucket}`]: maxBytes * objectShare,
      [`KV_${names.recordBucket}`]: maxBytes * (1 - eventShare - objectShare),
    }
    for (const [stream, bytes] of Object.entries(limits)) {
      const { config } = await manager.streams.info(stream)
      // New messages are refused: old ones are never dropped.
      const limit = { max_bytes: Math.floor(bytes), discard: DiscardPolicy.New }
      await manager.streams.update(stream, { ...config, ...limit })
    }
  } finally {
    await link.close()
  }
}

/** The rest is for records: a tenant that is full can still revoke keys and delete sessions. */
const eventShare = 0.6
const objectShare = 0.25
