import { setTimeout as delay } from 'node:timers/promises'
import { StorageType } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import type { NatsLink } from '../log/jetstream/nats-link.ts'
import { serverErrorOf } from '../log/jetstream/server-errors.ts'
import { Fault } from '../shared/fault.ts'

/** A text in the bucket, and the revision that changes with every write. */
export interface LeaseEntry {
  readonly text: string
  readonly revision: number
}

/**
 * Small texts that nodes change only from the revision that they have read, so one of several writers
 * wins. Every call ends: with a fault `owner_unreachable` when NATS does not answer in time.
 */
export interface LeaseBucket {
  readonly kv: KV
  /** The newest entry, from the leader of the bucket. */
  get(key: string): Promise<LeaseEntry | undefined>
  /**
   * Writes a text if the entry still has the revision; 0: if there is none. Returns the new revision,
   * undefined when another write came first.
   */
  put(key: string, text: string, revision: number): Promise<number | undefined>
  /** Deletes an entry if it still has the revision. Returns whether this call did it. */
  remove(key: string, revision: number): Promise<boolean>
}

export interface LeaseBucketOptions {
  name: string
  replicas: number
  /** How long one call may take. */
  callMs: number
}

const retryMs = 50

/** Opens the bucket, and creates it when it does not exist. */
export const openLeaseBucket = async (
  link: NatsLink,
  { name, replicas, callMs }: LeaseBucketOptions,
): Promise<LeaseBucket> => {
  const kv = await link.insist(() =>
    new Kvm(link.client).create(name, {
      ...{ replicas, history: 1, storage: StorageType.File, allow_direct: false },
    }),
  )

  /** Retries what is transient. What the client library would send later by itself is not sent. */
  const attempt = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    const end = performance.now() + callMs
    for (;;) {
      try {
        if (link.isConnected()) return await call()
      } catch (cause) {
        if (serverErrorOf(cause) !== 'transient') throw cause
      }
      if (performance.now() + retryMs > end) throw unreachable()
      await delay(retryMs)
    }
  }

  const get = (key: string): Promise<LeaseEntry | undefined> =>
    attempt(async () => {
      const entry = await kv.get(key)
      if (entry?.operation !== 'PUT') return undefined
      return { text: entry.string(), revision: entry.revision }
    })

  return {
    kv,
    get,
    async put(key, text, revision) {
      try {
        return await attempt(() =>
          revision === 0 ? kv.create(key, text) : kv.update(key, text, revision),
        )
      } catch (cause) {
        if (serverErrorOf(cause) !== 'conflict') throw cause
        // A try that got no answer may have been stored all the same.
        const stored = await get(key)
        return stored?.text === text ? stored.revision : undefined
      }
    },
    async remove(key, revision) {
      try {
        await attempt(() => kv.delete(key, { previousSeq: revision }))
        return true
      } catch (cause) {
        if (serverErrorOf(cause) !== 'conflict') throw cause
        return false
      }
    },
  }
}

const unreachable = (): Fault =>
  new Fault('owner_unreachable', 'NATS does not answer, so no node can be found for the session.')
