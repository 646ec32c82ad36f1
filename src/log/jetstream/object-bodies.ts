import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { ObjectInfo, ObjectStore } from '@nats-io/obj'
import { LogFault } from '../log-fault.ts'
import type { NatsLink } from './nats-link.ts'
import { refusal, serverErrorOf } from './server-errors.ts'

/** Bytes by name, in the object store. */
export interface ObjectBodies {
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Undefined when there is no such object, a part of it is lost, or it is larger than wanted. */
  get(name: string, maxBytes?: number): Promise<Uint8Array | undefined>
  remove(name: string): Promise<void>
}

/**
 * How long a part of an object may be missing. A leader that was just elected may not have it yet. After
 * that, it is lost, or a kill has interrupted its removal.
 */
const incompleteMs = 10_000
const retryMs = 250

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
    const end = performance.now() + incompleteMs
    for (;;) {
      const body = await link.insist(() => readBody({ link, store, bucket }, name, maxBytes))
      if (body !== 'incomplete') return body
      if (performance.now() > end) return undefined
      await delay(retryMs)
    }
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
 * Reads an object part by part, from the leader of its bucket. The library makes a consumer for each
 * object, which the servers keep for minutes. It also waits for ever when the server of the consumer
 * dies, and when the object is removed meanwhile.
 */
const readBody = async (
  parts: { link: NatsLink; store: ObjectStore; bucket: string },
  name: string,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Uint8Array | 'incomplete' | undefined> => {
  const info = await parts.store.info(name)
  if (!info || info.deleted || info.size > maxBytes) return undefined
  const body = await readParts(parts, info)
  if (body) return checked(info, body)
  const later = await parts.store.info(name)
  return !later || later.deleted ? undefined : 'incomplete'
}

/** The parts of an object as one; undefined when one is missing. */
const readParts = async (
  { link, bucket }: { link: NatsLink; bucket: string },
  { name, nuid, chunks, size }: ObjectInfo,
): Promise<Buffer | undefined> => {
  const found: Uint8Array[] = []
  let seq = 1
  let bytes = 0
  for (let count = 0; count < chunks; count += 1) {
    const query = { seq, next_by_subj: `$O.${bucket}.C.${nuid}` }
    const part = await link.manager.streams.getMessage(`OBJ_${bucket}`, query)
    if (!part) return undefined
    bytes += part.data.length
    // Who reads has made room for that size only.
    if (bytes > size) throw wrongBytes(name)
    found.push(part.data)
    seq = part.seq + 1
  }
  return Buffer.concat(found)
}

/** The body, if it has the hash that the object was stored with. */
const checked = ({ name, digest }: ObjectInfo, body: Buffer): Buffer => {
  const hash = createHash('sha256').update(body).digest('base64')
  const expected = digest.slice('SHA-256='.length).replaceAll('-', '+').replaceAll('_', '/')
  if (hash !== expected) throw wrongBytes(name)
  return body
}

const wrongBytes = (name: string): LogFault =>
  new LogFault('damaged', `The object ${name} has wrong bytes.`)
