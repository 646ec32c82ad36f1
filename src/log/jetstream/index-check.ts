import type { KV } from '@nats-io/kv'
import type { BucketReader } from './bucket-reader.ts'
import type { EntryApplier } from './entry-applier.ts'
import type { NatsLink } from './nats-link.ts'
import { isUnreachable } from './patiently.ts'
import { indexedKeys } from './record-keys.ts'

/**
 * Compares the index with the whole bucket after each start of a watch: one can leave an entry out when a server
 * dies. Only adds what is newer. What the bucket does not have stays in the index: a record that is deleted
 * leaves a mark, and a server that has just started can answer without a record that the others have.
 */
export interface IndexCheck {
  /** A watch was opened, or disturbed: compares when that is over. */
  soon(): void
  close(): Promise<void>
}

export interface IndexCheckOptions {
  link: Pick<NatsLink, 'insist'>
  bucket: KV
  reader: Pick<BucketReader, 'newest'>
  applier: Pick<EntryApplier, 'read' | 'revisions' | 'applyMissed'>
  onError(cause: unknown): void
  /** How long nothing must have been disturbed. Default: three seconds. */
  quietMs?: number | undefined
}

/** How long listing all keys may take. A consumer whose server dies says nothing more. */
const listMs = 20_000

export const createIndexCheck = (options: IndexCheckOptions): IndexCheck => {
  const { link, reader, applier, onError, quietMs = 3000 } = options
  let timer: NodeJS.Timeout | undefined
  const closing = new AbortController()
  const { signal } = closing
  let checking = Promise.resolve()

  const isOlder = (key: string, revision: number): boolean =>
    (applier.revisions().get(key) ?? 0) < revision
  const compare = async (): Promise<void> => {
    const { revisions, isWhole } = await listKeys(options, signal)
    for (const [key, revision] of revisions) {
      if (signal.aborted) return
      if (!isOlder(key, revision)) continue
      const newest = await link.insist(() => reader.newest(key))
      if (newest) await applier.applyMissed(await applier.read(newest))
    }
    if (!isWhole) soon()
  }
  const soon = (): void => {
    clearTimeout(timer)
    if (signal.aborted) return
    timer = setTimeout(() => {
      checking = checking.then(compare).catch((cause: unknown) => {
        if (isUnreachable(cause)) soon()
        else if (!signal.aborted) onError(cause)
      })
    }, quietMs).unref()
  }
  return {
    soon,
    async close() {
      closing.abort()
      clearTimeout(timer)
      await checking
    },
  }
}

/** The revisions of all keys. `isWhole`: none is missing. */
const listKeys = async (
  { link, bucket }: Pick<IndexCheckOptions, 'link' | 'bucket'>,
  closing: AbortSignal,
) => {
  const revisions = new Map<string, number>()
  const listing = await link.insist(() => bucket.watch({ key: indexedKeys, headers_only: true }))
  const stop = () => listing.stop()
  const over = AbortSignal.any([closing, AbortSignal.timeout(listMs)])
  over.addEventListener('abort', stop)
  if (over.aborted) stop()
  let isWhole = false
  try {
    for await (const { key, revision, delta } of listing) {
      revisions.set(key, revision)
      isWhole = delta === 0
      if (isWhole) break
    }
  } finally {
    over.removeEventListener('abort', stop)
    stop()
  }
  return { revisions, isWhole }
}
