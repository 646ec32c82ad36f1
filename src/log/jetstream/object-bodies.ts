import type { ObjectStore } from '@nats-io/obj'
import type { NatsLink } from './nats-link.ts'

/** Bytes by name, in the object store. */
export interface ObjectBodies {
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Undefined when there is no such object. */
  get(name: string): Promise<Uint8Array | undefined>
  remove(name: string): Promise<void>
}

/** Larger parts make fewer messages. They must fit into one. */
const partBytes = 900 * 1024

export const createObjectBodies = (link: NatsLink, store: ObjectStore): ObjectBodies => ({
  async put(name, bytes) {
    await link.insist(() => store.putBlob({ name, options: { max_chunk_size: partBytes } }, bytes))
  },
  async get(name) {
    return (await link.insist(() => store.getBlob(name))) ?? undefined
  },
  async remove(name) {
    await link.insist(async () => {
      if (await store.info(name)) await store.delete(name)
    })
  },
})
