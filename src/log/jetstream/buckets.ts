import { setTimeout as delay } from 'node:timers/promises'
import { JetStreamApiError, StorageType } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { type ObjectStore, Objm } from '@nats-io/obj'
import type { NatsLink } from './nats-link.ts'
import type { Names } from './subjects.ts'

/** What a tenant has on the server. */
export interface Buckets {
  readonly records: KV
  readonly objects: ObjectStore
}

/** Opens the streams and buckets of a tenant, and creates those that do not exist. */
export const openBuckets = async (
  link: NatsLink,
  names: Names,
  replicas: number,
): Promise<Buckets> => {
  const { manager, client } = link
  const create = <Made>(make: () => Promise<Made>): Promise<Made> => whenPlaced(link, make)
  await create(async () => {
    const found = await manager.streams.info(names.eventStream).catch(() => undefined)
    if (!found)
      await manager.streams.add({
        name: names.eventStream,
        subjects: [names.allEvents],
        storage: StorageType.File,
        num_replicas: replicas,
        allow_direct: true,
        // Only what was stored is sent on: a publish that is refused reaches no reader.
        republish: { src: names.allEvents, dest: names.allLive },
      })
  })
  const bucket = { replicas, history: 1, storage: StorageType.File }
  const records = await create(() =>
    new Kvm(client).create(names.recordBucket, { ...bucket, allow_direct: false }),
  )
  const objects = await create(() =>
    new Objm(client).create(names.objectBucket, { replicas, storage: StorageType.File }),
  )
  return { records, objects }
}

/** The servers of a cluster that has just started do not know each other yet. */
const noSuitablePeers = 10005
const placementMs = 20_000
const retryMs = 250

/** Creates something, and waits for servers that are still starting. */
const whenPlaced = async <Made>(link: NatsLink, make: () => Promise<Made>): Promise<Made> => {
  const end = performance.now() + placementMs
  for (;;)
    try {
      return await link.insist(make)
    } catch (cause) {
      const isEarly = cause instanceof JetStreamApiError && cause.code === noSuitablePeers
      if (!isEarly || performance.now() > end) throw cause
      await delay(retryMs)
    }
}
