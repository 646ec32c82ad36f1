import { setTimeout as delay } from 'node:timers/promises'
import { JetStreamApiError, StorageType } from '@nats-io/jetstream'
import { jserrors } from '@nats-io/jetstream/internal'
import { type KV, Kvm } from '@nats-io/kv'
import { type ObjectStore, Objm } from '@nats-io/obj'
import type { NatsLink } from './nats-link.ts'
import { isEarly, isOffCode, jetStreamOff, setupFault } from './setup-faults.ts'
import type { Names } from './subjects.ts'

/** What a tenant has on the server. */
export interface Buckets {
  readonly records: KV
  readonly objects: ObjectStore
  /** How many servers store the events. */
  readonly replicas: number
  /** How many bytes the servers store for the tenant, each replica counted once. */
  storedBytes(): Promise<number>
}

/**
 * Opens the streams and buckets of a tenant, and creates those that do not exist. Without a number of
 * replicas, existing ones stay as they are, and new ones have three in a cluster and one on a single
 * server. Throws `jetstream_off`, `too_few_servers` or `login_refused`.
 */
export const openBuckets = async (
  link: NatsLink,
  names: Names,
  wanted: number | undefined,
): Promise<Buckets> => {
  const { manager, client, connection } = link
  const replicas = wanted ?? (connection.info?.cluster ? 3 : 1)
  const streams = [names.eventStream, `KV_${names.recordBucket}`, `OBJ_${names.objectBucket}`]
  const open = async <Opened>(make: () => Promise<Opened>): Promise<Opened> => {
    try {
      return await whenReady(make)
    } catch (cause) {
      throw setupFault(cause, { servers: connection.getServer(), replicas })
    }
  }

  await requireJetStream(link)
  const bucket = { replicas, storage: StorageType.File }
  await open(() => openEventStream(link, names, replicas))
  const records = await open(() =>
    new Kvm(client).create(names.recordBucket, { ...bucket, history: 1, allow_direct: false }),
  )
  const objects = await open(() => new Objm(client).create(names.objectBucket, bucket))
  if (wanted !== undefined)
    for (const stream of streams) await open(() => setReplicas(link, stream, wanted))
  const { config } = await manager.streams.info(names.eventStream)
  return {
    ...{ records, objects, replicas: config.num_replicas },
    async storedBytes() {
      const infos = await Promise.all(streams.map((stream) => manager.streams.info(stream)))
      return infos.reduce((sum, { state }) => sum + state.bytes, 0)
    },
  }
}

/** Throws at once when the server has no JetStream. Without a leader, it answers the same for a while. */
const requireJetStream = async ({ manager, connection }: NatsLink): Promise<void> => {
  try {
    await manager.getAccountInfo()
  } catch (cause) {
    const isOff =
      (cause instanceof jserrors.JetStreamNotEnabled && connection.info?.jetstream !== true) ||
      (cause instanceof JetStreamApiError && isOffCode(cause.code))
    if (isOff) throw jetStreamOff(connection.getServer(), cause)
  }
}

const openEventStream = async (
  { manager }: NatsLink,
  names: Names,
  replicas: number,
): Promise<void> => {
  const found = await manager.streams.info(names.eventStream).catch((cause: unknown) => {
    if (!(cause instanceof JetStreamApiError && cause.status === 404)) throw cause
    return undefined
  })
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
}

const setReplicas = async ({ manager }: NatsLink, stream: string, replicas: number) => {
  const { config } = await manager.streams.info(stream)
  if (config.num_replicas !== replicas)
    await manager.streams.update(stream, { ...config, num_replicas: replicas })
}

/** The servers of a cluster that has just started do not know each other yet. */
const startMs = 20_000
const retryMs = 250

/** Runs a call, and waits for servers that are still starting. */
const whenReady = async <Made>(make: () => Promise<Made>): Promise<Made> => {
  const end = performance.now() + startMs
  for (;;)
    try {
      return await make()
    } catch (cause) {
      if (!isEarly(cause) || performance.now() > end) throw cause
      await delay(retryMs)
    }
}
