import { randomUUID } from 'node:crypto'
import type { KV, KvWatchEntry } from '@nats-io/kv'
import type { Document, Documents } from './documents.ts'
import type { NatsLink } from './nats-link.ts'
import { isUnreachable } from './patiently.ts'
import { indexedKeys, partsOf, recordKeys } from './record-keys.ts'
import { createRevisionWaiters } from './revision-waiters.ts'

/** Follows the changes of all indexed records, of this node and of the others. */
export interface RecordWatch {
  /** Resolves when all changes up to a revision are in the index. */
  reached(revision: number): Promise<void>
  /** Resolves when everything that is in the bucket now is in the index. */
  synced(): Promise<void>
  close(): Promise<void>
}

/** A changed record; without a document when it was deleted. */
export interface IndexChange {
  readonly key: string
  readonly document?: Document
}

export interface RecordWatchOptions {
  link: NatsLink
  bucket: KV
  documents: Pick<Documents, 'read'>
  /** Puts changes into the index. Those of one call may depend on each other in any order. */
  apply(changes: readonly IndexChange[]): Promise<void>
  onError(cause: unknown): void
}

/** How long the first copy of all records may take. */
const openingMs = 120_000

/** After this time without an expected change, the watch is opened again. */
const silentMs = 1500

/**
 * Opens the watch, and resolves when the index is complete. A watch can fall silent without an error,
 * for example when its server dies. When somebody waits for long, it is opened again behind what has
 * arrived. A mark that is written first shows when the new watch has caught up.
 */
export const openRecordWatch = async (options: RecordWatchOptions): Promise<RecordWatch> => {
  const { link, bucket, onError } = options
  const mark = recordKeys.mark(randomUUID())
  const waiters = createRevisionWaiters()
  let isClosed = false
  let current: Awaited<ReturnType<KV['watch']>> | undefined

  const putMark = (): Promise<number> => link.insist(() => bucket.put(mark, ''))
  const follow = async (): Promise<void> => {
    const markRevision = await putMark()
    const resumeFromRevision = waiters.reached() > 0 ? waiters.reached() + 1 : undefined
    current = await link.insist(() =>
      bucket.watch({ key: indexedKeys, ...(resumeFromRevision && { resumeFromRevision }) }),
    )
    await applyEntries(current, markRevision, { ...options, advance: waiters.advance })
  }
  const run = async (): Promise<void> => {
    while (!isClosed)
      try {
        await follow()
      } catch (cause) {
        // The status of the log says that the cluster is away.
        if (!isClosed && !isUnreachable(cause)) onError(cause)
      }
  }
  const timer = setInterval(() => {
    if (link.isConnected() && waiters.haveWaited(silentMs)) current?.stop()
  }, silentMs / 3).unref()

  const running = run()
  await waiters.wait(await putMark(), openingMs)
  return {
    reached: (revision) => waiters.wait(revision),
    synced: async () => waiters.wait(await putMark()),
    async close() {
      isClosed = true
      clearInterval(timer)
      waiters.close()
      current?.stop()
      await running
    },
  }
}

/** Applies the entries of one watch. Until the mark arrives, they are collected, and then applied together. */
const applyEntries = async (
  entries: AsyncIterable<KvWatchEntry>,
  markRevision: number,
  {
    documents,
    apply,
    advance,
  }: Pick<RecordWatchOptions, 'documents' | 'apply'> & { advance(revision: number): void },
): Promise<void> => {
  let collected: IndexChange[] | undefined = []
  for await (const entry of entries) {
    if (partsOf(entry.key).kind !== 'mark') {
      const document = await documents.read(entry)
      const change = { key: entry.key, ...(document && { document }) }
      if (collected) collected.push(change)
      else await apply([change])
    }
    if (collected && entry.revision >= markRevision) {
      await apply(collected)
      collected = undefined
    }
    if (!collected) advance(entry.revision)
  }
}
