import { LogFault } from '../log-fault.ts'
import type { BucketEntry } from './documents.ts'
import { partsOf } from './record-keys.ts'
import type { IndexChange, RecordWatchOptions } from './record-watch.ts'
import type { RevisionWaiters } from './revision-waiters.ts'

/** What an entry of the bucket changes in the index: nothing, if it is a mark or cannot be read. */
export interface ReadEntry {
  readonly key: string
  readonly revision: number
  readonly change?: IndexChange
}

/** Puts entries into the index, each once: the watch and the comparison may both have read it. */
export interface EntryApplier {
  read(entry: BucketEntry): Promise<ReadEntry>
  /** Applies entries together, in the order of the calls. */
  apply(entries: readonly ReadEntry[]): Promise<void>
  /** The revision that the index has of each key. */
  revisions(): ReadonlyMap<string, number>
  /** Applies an entry that the watch has left out, unless the index has a newer one of its key. */
  applyMissed(entry: ReadEntry): Promise<void>
}

export const createEntryApplier = (
  { documents, apply, onError }: Pick<RecordWatchOptions, 'documents' | 'apply' | 'onError'>,
  waiters: Pick<RevisionWaiters, 'reached' | 'advance'>,
): EntryApplier => {
  const revisions = new Map<string, number>()
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }
  const isNew = ({ key, revision }: ReadEntry): boolean =>
    revision > waiters.reached() && revisions.get(key) !== revision

  return {
    async read(entry) {
      const { key, revision, operation } = entry
      if (partsOf(key).kind === 'mark') return { key, revision }
      const document = await documents.read(entry).catch((cause: unknown) => {
        if (!(cause instanceof LogFault && cause.code === 'damaged')) throw cause
        onError(cause)
        return undefined
      })
      // Its content is lost, or was deleted because a later entry has replaced this one.
      if (!document && operation === 'PUT') return { key, revision }
      return { key, revision, change: { key, ...(document && { document }) } }
    },
    apply: (entries) =>
      inTurn(async () => {
        const fresh = entries.filter(isNew)
        await apply(fresh.flatMap(({ change }) => change ?? []))
        for (const { key, revision } of fresh) revisions.set(key, revision)
        for (const { revision } of entries) waiters.advance(revision)
      }),
    revisions: () => revisions,
    applyMissed: (entry) =>
      inTurn(async () => {
        const { key, revision, change } = entry
        if ((revisions.get(key) ?? 0) >= revision) return
        if (change) await apply([change])
        revisions.set(key, revision)
      }),
  }
}
