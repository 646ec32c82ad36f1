import type { StoredMsg } from '@nats-io/jetstream'
import type { BucketEntry } from './documents.ts'
import type { NatsLink } from './nats-link.ts'
import { indexedKeys } from './record-keys.ts'
import type { Names } from './subjects.ts'

/** Reads the records of the index from the leader of the bucket, without a watch. */
export interface BucketReader {
  /** The revision of the newest one. */
  last(): Promise<number>
  /** Those behind a revision, in their order, at most `limit`. */
  after(revision: number, limit: number): AsyncIterable<BucketEntry>
  /** The newest entry of a key. */
  newest(key: string): Promise<BucketEntry | undefined>
}

export const createBucketReader = (
  { manager }: Pick<NatsLink, 'manager'>,
  { recordBucket }: Pick<Names, 'recordBucket'>,
): BucketReader => {
  const stream = `KV_${recordBucket}`
  const prefix = `$KV.${recordBucket}.`
  const subjects = prefix + indexedKeys
  const entryIn = (found: StoredMsg): BucketEntry => {
    const isDeleted = ['DEL', 'PURGE'].includes(found.header.get('KV-Operation'))
    return {
      ...{ key: found.subject.slice(prefix.length), revision: found.seq },
      operation: isDeleted ? 'DEL' : 'PUT',
      string: () => found.string(),
    }
  }
  return {
    async last() {
      return (await manager.streams.getMessage(stream, { last_by_subj: subjects }))?.seq ?? 0
    },
    async *after(revision, limit) {
      let seq = revision
      for (let count = 0; count < limit; count += 1) {
        const query = { seq: seq + 1, next_by_subj: subjects }
        const found = await manager.streams.getMessage(stream, query)
        if (!found) return
        seq = found.seq
        yield entryIn(found)
      }
    },
    async newest(key) {
      const found = await manager.streams.getMessage(stream, { last_by_subj: prefix + key })
      return found ? entryIn(found) : undefined
    },
  }
}
