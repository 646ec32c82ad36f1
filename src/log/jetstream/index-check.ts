import type { KV } from '@nats-io/kv'
import type { BucketReader } from './bucket-reader.ts'
import type { EntryApplier } from './entry-applier.ts'
import type { NatsLink } from './nats-link.ts'
import { isUnreachable } from './patiently.ts'
import { indexedKeys } from './record-keys.ts'

/**
 * Compares the index with the whole bucket after a disturbance. A watch can leave an entry out when a server
 * dies: the copy that it reads from may lack the entry, or give its number to another one.
 */
export interface IndexCheck {
  /** Something has disturbed the watch: compares when that is over. */
  soon(): void
  close(): Promise<void>
}

export interface IndexCheckOptions {
  link: Pick<NatsLink, 'insist'>
  bucket: KV
  reader: Pick<BucketReader, 'newest'>
  applier: Pick<EntryApplier, 'read' | 'revisions' | 'correct'>
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

  /** Asks the leader, whose answer counts. */
  const correct = async (key: string): Promise<void> => {
    const before = applier.revisions().get(key)
    const newest = await link.insist(() => reader.newest(key))
    if (newest?.revision === before) return
    await applier.correct(key, before, newest && (await applier.read(newest)))
  }
  const compare = async (): Promise<void> => {
    const { revisions, isWhole } = await listKeys(options, signal)
    const indexed = applier.revisions()
    const different = [...revisions].filter(([key, revision]) => indexed.get(key) !== revision)
    const gone = isWhole ? [...indexed.keys()].filter((key) => !revisions.has(key)) : []
    for (const key of [...different.map(([key]) => key), ...gone]) {
      if (signal.aborted) return
      await correct(key)
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
