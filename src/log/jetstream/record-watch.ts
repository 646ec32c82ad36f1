import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { KV, KvWatchEntry } from '@nats-io/kv'
import type { BucketReader } from './bucket-reader.ts'
import type { Document, Documents } from './documents.ts'
import { createEntryApplier, type EntryApplier, type ReadEntry } from './entry-applier.ts'
import { createIndexCheck } from './index-check.ts'
import type { NatsLink } from './nats-link.ts'
import { isUnreachable } from './patiently.ts'
import { indexedKeys, recordKeys } from './record-keys.ts'
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
  /** Reads the bucket without a watch. */
  reader: BucketReader
  /** Puts changes into the index. Those of one call may depend on each other in any order. */
  apply(changes: readonly IndexChange[]): Promise<void>
  onError(cause: unknown): void
}

/** How long the first copy of all records may take. */
const openingMs = 120_000

/** Between two tries to open the watch. */
const retryMs = 250

/** After this time without an expected change, the watch is opened again. */
const silentMs = 1500

/** How often the bucket is compared with the index while nobody waits: a revoked key must end soon. */
const compareMs = 400

/** How long a change may take from the bucket to the index. */
const deliveryMs = 200

/** How many changes are read at once without a watch. */
const maxRead = 256

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
  const progress: Progress = { isCaughtUp: false, isApplying: false, at: 0 }
  const applier = createEntryApplier(options, waiters)
  const check = createIndexCheck({ ...options, applier })

  const putMark = (): Promise<number> => link.insist(() => bucket.put(mark, ''))
  const follow = async (): Promise<void> => {
    progress.isCaughtUp = false
    const markRevision = await putMark()
    const resumeFromRevision = waiters.reached() > 0 ? waiters.reached() + 1 : undefined
    current = await link.insist(() =>
      bucket.watch({ key: indexedKeys, ...(resumeFromRevision && { resumeFromRevision }) }),
    )
    await applyEntries(current, { markRevision, progress, applier })
  }
  const run = async (): Promise<void> => {
    while (!isClosed)
      try {
        check.soon()
        await follow()
      } catch (cause) {
        if (isClosed) return
        // The status of the log says that the cluster is away.
        if (!isUnreachable(cause)) onError(cause)
        await delay(retryMs, undefined, { ref: false })
      }
  }
  const timer = setInterval(() => {
    if (link.isConnected() && waiters.haveWaited(silentMs)) current?.stop()
  }, silentMs / 3).unref()

  /**
   * A watch that has fallen silent is noticed here, also when nobody waits for a change. To open another
   * one can take the election of a leader; to read what is missing does not.
   */
  const compare = async (): Promise<void> => {
    const last = link.isConnected() ? await options.reader.last() : 0
    const isLate = await waiters.wait(last, deliveryMs).then(
      () => false,
      () => true,
    )
    if (!isLate || !isSilent(progress)) return
    if (progress.isCaughtUp) current?.stop()
    for await (const entry of options.reader.after(waiters.reached(), maxRead))
      await applier.apply([await applier.read(entry)])
  }
  let isComparing = false
  const comparing = setInterval(() => {
    if (isComparing || waiters.reached() === 0) return
    isComparing = true
    void compare()
      .catch(check.soon) // without an answer, there is nothing to compare
      .finally(() => {
        isComparing = false
      })
  }, compareMs).unref()

  const running = run()
  await waiters.wait(await putMark(), openingMs)
  return {
    reached: (revision) => waiters.wait(revision),
    synced: async () => waiters.wait(await putMark()),
    async close() {
      isClosed = true
      clearInterval(timer)
      clearInterval(comparing)
      await check.close()
      waiters.close()
      current?.stop()
      await running
    },
  }
}

/** How far a watch is. */
interface Progress {
  /** Whether it has delivered everything that was in the bucket when it was opened. */
  isCaughtUp: boolean
  isApplying: boolean
  /** When the last entry arrived. */
  at: number
}

const isSilent = ({ isApplying, at }: Progress): boolean =>
  !isApplying && performance.now() - at >= deliveryMs

interface WatchedEntries {
  markRevision: number
  progress: Progress
  applier: EntryApplier
}

/** Applies the entries of one watch. Until the mark arrives, they are collected, and then applied together. */
const applyEntries = async (
  entries: AsyncIterable<KvWatchEntry>,
  { markRevision, progress, applier }: WatchedEntries,
): Promise<void> => {
  let collected: ReadEntry[] | undefined = []
  for await (const entry of entries) {
    Object.assign(progress, { at: performance.now(), isApplying: true })
    const read = await applier.read(entry)
    if (collected) collected.push(read)
    else await applier.apply([read])
    if (collected && entry.revision >= markRevision) {
      await applier.apply(collected)
      collected = undefined
      progress.isCaughtUp = true
    }
    progress.isApplying = false
  }
}
