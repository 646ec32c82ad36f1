import type { ObjectStore } from '@nats-io/obj'
import { errors } from '@nats-io/transport-node'
import { finishesWithin } from '../../shared/finishes-within.ts'
import type { NatsLink } from './nats-link.ts'
import { refusal, serverErrorOf } from './server-errors.ts'

/** Bytes by name, in the object store. */
export interface ObjectBodies {
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Undefined when there is no such object, or when it is larger than wanted. */
  get(name: string, maxBytes?: number): Promise<Uint8Array | undefined>
  remove(name: string): Promise<void>
}

/** Larger parts make fewer messages. They must fit into one. */
const partBytes = 900 * 1024

/** How long each part of an object may take, and after which time it is checked that the object exists. */
const silentMs = 3000
const checkMs = 250

export const createObjectBodies = (
  link: NatsLink,
  store: ObjectStore,
  bucket: string,
): ObjectBodies => ({
  async put(name, bytes) {
    const meta = { name, options: { max_chunk_size: partBytes } }
    try {
      await link.insist(() => store.putBlob(meta, bytes))
    } catch (cause) {
      throw refusal(cause)
    }
  },
  async get(name, maxBytes) {
    if (maxBytes !== undefined) {
      const info = await link.insist(() => store.info(name))
      if (!info || info.size > maxBytes) return undefined
    }
    return link.insist(() => readBody(store, name))
  },
  async remove(name) {
    await link.insist(async () => {
      const info = await store.info(name)
      if (!info) return
      // The library stores a mark first, and a full bucket has no space for it.
      const filter = `$O.${bucket}.C.${info.nuid}`
      if (info.nuid) await link.manager.streams.purge(`OBJ_${bucket}`, { filter })
      try {
        await store.delete(name)
      } catch (cause) {
        // Its bytes are gone, and nothing names it any more.
        if (serverErrorOf(cause) !== 'full') throw cause
      }
    })
  },
})

/**
 * Reads an object part by part. The library waits for ever when the server of its consumer dies, and when
 * the object is removed meanwhile. Throws a `TimeoutError` in the first case.
 */
const readBody = async (store: ObjectStore, name: string): Promise<Uint8Array | undefined> => {
  const found = await store.get(name)
  if (!found) return undefined
  found.error.catch(() => {}) // reading the parts fails with it too
  const reader = found.data.getReader()
  const parts: Uint8Array[] = []
  try {
    for (;;) {
      const reading = reader.read()
      if (!(await arrives(reading, store, name))) return undefined
      const { done, value } = await reading
      if (done) return Buffer.concat(parts)
      parts.push(value)
    }
  } finally {
    // It also ends what waits for the next part.
    void reader.cancel().catch(() => {})
  }
}

/** Waits for a part of an object. False: the object does not exist any more. */
const arrives = async (
  reading: Promise<unknown>,
  store: ObjectStore,
  name: string,
): Promise<boolean> => {
  const end = performance.now() + silentMs
  while (!(await finishesWithin(reading, checkMs))) {
    const info = await store.info(name)
    if (!info || info.deleted) return false
    if (performance.now() > end) throw new errors.TimeoutError()
  }
  return true
}
