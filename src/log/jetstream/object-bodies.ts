import type { ObjectStore } from '@nats-io/obj'
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
    return (await link.insist(() => store.getBlob(name))) ?? undefined
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
