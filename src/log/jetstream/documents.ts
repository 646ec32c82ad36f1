import { randomUUID } from 'node:crypto'
import type { KV, KvEntry } from '@nats-io/kv'
import { defined } from '../../shared/fields.ts'
import { LogFault } from '../log-fault.ts'
import type { NatsLink } from './nats-link.ts'
import type { ObjectBodies } from './object-bodies.ts'
import { refusal, serverErrorOf } from './server-errors.ts'

/** A record as it is stored in the bucket. */
export interface Document {
  readonly key: string
  /** The record as JSON. */
  readonly text: string
  /** Grows with every change in the bucket. */
  readonly revision: number
  /** The revision in which the record was created: it orders lists. */
  readonly order: number
}

/** Returns the new JSON of a record, undefined to delete it, or the same text to change nothing. */
export type DocumentChange = (text: string | undefined) => string | undefined

/** The records of a tenant, by key. Every read and every write asks the leader of the bucket. */
export interface Documents {
  get(key: string): Promise<Document | undefined>
  /**
   * Changes a record. The change is made again from the newest text when another node was faster.
   * Throws what `change` throws. Undefined: the record does not exist any more.
   */
  change(key: string, change: DocumentChange): Promise<Document | undefined>
  /** Reads an entry of the bucket. Undefined when it says that the record was deleted. Throws `damaged`. */
  read(entry: BucketEntry): Promise<Document | undefined>
}

/** What an entry of the bucket has that is needed to read it. */
export type BucketEntry = Pick<KvEntry, 'operation' | 'key' | 'revision' | 'string'>

/** What an entry of the bucket holds. */
interface Envelope {
  /** The order. Absent in the first revision. */
  n?: number
  /** Names the write, so that one without an answer is recognised. */
  w: string
  /** The record as JSON. */
  v?: string
  /** The object with the record, when it is too large for a message. */
  o?: string
}

interface CurrentEntry {
  readonly entry: KvEntry | null
  readonly document: Document | undefined
}

/** A longer record is stored as an object. */
const maxLength = 256 * 1024
/** Room for the rest of the message. */
const headerRoom = 4096
/** How many bytes a character can need: JSON within JSON escapes quotes twice. */
const bytesPerCharacter = 4

/** Operators can set a smaller limit for messages than the default of 1 MB, also while nodes run. */
const fitsOf =
  ({ connection }: NatsLink) =>
  ({ length }: string): boolean => {
    const payload = (connection.info?.max_payload ?? Number.POSITIVE_INFINITY) - headerRoom
    return length <= Math.min(maxLength, payload / bytesPerCharacter)
  }

export const createDocuments = (link: NatsLink, bucket: KV, objects: ObjectBodies): Documents => {
  const fits = fitsOf(link)
  const entryOf = (key: string): Promise<KvEntry | null> => link.insist(() => bucket.get(key))

  const read = async (entry: BucketEntry): Promise<Document | undefined> => {
    if (entry.operation !== 'PUT') return undefined
    const { key, revision } = entry
    const { n = revision, v, o } = envelopeIn(entry)
    const body = o === undefined ? undefined : await objects.get(o)
    const text = v ?? (body && Buffer.from(body).toString())
    return text === undefined ? undefined : { key, text, revision, order: n }
  }

  /** The newest entry of a key, with its record. */
  const current = async (key: string): Promise<CurrentEntry> => {
    for (let entry = await entryOf(key); ; ) {
      const document = entry ? await read(entry) : undefined
      if (!entry || document || entry.operation !== 'PUT') return { entry, document }
      // Its object was deleted because another record has replaced it, or it is lost.
      const later = await entryOf(key)
      if (later?.revision === entry.revision) return { entry, document }
      entry = later
    }
  }

  const write = async (entry: KvEntry | null, key: string, text: string, order?: number) => {
    const w = randomUUID()
    const isLarge = !fits(text)
    const envelope: Envelope = {
      ...(order !== undefined && { n: order }),
      ...{ w, ...(isLarge ? { o: `${key}:${w}` } : { v: text }) },
    }
    if (envelope.o !== undefined) await objects.put(envelope.o, Buffer.from(text))
    try {
      return await link.insist(() =>
        bucket.put(key, JSON.stringify(envelope), { previousSeq: entry?.revision ?? 0 }),
      )
    } catch (cause) {
      const isConflict = serverErrorOf(cause) === 'conflict'
      const stored = isConflict ? await entryOf(key) : undefined
      // A try that got no answer may have been stored all the same.
      if (stored?.operation === 'PUT' && envelopeIn(stored).w === w) return stored.revision
      // Without an answer, the record may be stored later: then it needs its object.
      if (envelope.o !== undefined && !(cause instanceof LogFault)) await objects.remove(envelope.o)
      if (isConflict) return undefined
      throw refusal(cause)
    }
  }

  const remove = async (entry: KvEntry): Promise<boolean> => {
    try {
      await link.insist(() => bucket.delete(entry.key, { previousSeq: entry.revision }))
      return true
    } catch (cause) {
      if (serverErrorOf(cause) !== 'conflict') throw refusal(cause)
      return (await entryOf(entry.key))?.operation !== 'PUT'
    }
  }

  const removeObject = async (entry: KvEntry | null): Promise<void> => {
    const { o } = entry?.operation === 'PUT' ? envelopeIn(entry) : {}
    if (o !== undefined) await objects.remove(o)
  }

  return {
    read,
    get: async (key) => (await current(key)).document,
    async change(key, change) {
      for (;;) {
        const { entry, document: before } = await current(key)
        const text = change(before?.text)
        if (text === before?.text) return before
        if (text === undefined) {
          if (entry && !(await remove(entry))) continue
          await removeObject(entry)
          return undefined
        }
        const revision = await write(entry, key, text, before?.order)
        if (revision === undefined) continue
        await removeObject(entry)
        return { key, text, revision, order: before?.order ?? revision }
      }
    },
  }
}

/** Throws `damaged` when the entry is none of Sluice. */
const envelopeIn = (entry: Pick<BucketEntry, 'key' | 'string'>): Envelope => {
  try {
    const { n, w, v, o }: Envelope = JSON.parse(entry.string())
    return { w, ...defined({ n, v, o }) }
  } catch (cause) {
    throw unreadableRecord(entry.key, cause)
  }
}

/** A record that something else than Sluice has written, or that was damaged. */
export const unreadableRecord = (key: string, cause?: unknown): LogFault =>
  new LogFault('damaged', `The record ${key} in NATS cannot be read, and is ignored.`, {
    cause,
  })
