import type { Log, RecordStore } from '../log.ts'
import { LogFault } from '../log-fault.ts'
import type { SessionPatch } from '../records.ts'
import type { ChangedRecord } from '../shared-log.ts'
import type { ApprovalRecord, KeyRecord, ProjectRecord, SessionRecord } from '../types.ts'
import { type Document, unreadableRecord } from './documents.ts'
import { partsOf } from './record-keys.ts'
import type { IndexChange } from './record-watch.ts'

/** What lists, filters and counts are made from: a local copy of all records. */
export interface RecordIndex {
  /** Whether there is a session with this id: checked before every append, so it must be fast. */
  hasSession(id: string): boolean
  apply(changes: readonly IndexChange[]): Promise<void>
}

/** Kinds that refer to none come first. */
const rank = (kind: string): number => (kind === 'session' ? 0 : 1)

/** What the index does with records of a kind. */
export interface IndexApplier {
  set(document: Document, id: string): Promise<void>
  remove(id: string): Promise<void>
}

export const createRecordIndex = (
  log: Log,
  others: Readonly<Record<string, IndexApplier>>,
  onRecord: (changed: ChangedRecord) => void,
  onError: (cause: unknown) => void,
): RecordIndex => {
  const plain = <Kept extends { id: string }>(store: RecordStore<Kept>): IndexApplier => ({
    set: ({ text }) => store.put(JSON.parse(text)),
    async remove(id) {
      await store.remove(id)
    },
  })
  const sessionIds = new Set<string>()
  const appliers: Record<string, IndexApplier> = {
    session: sessionApplier(log, sessionIds),
    approval: {
      async set({ text }) {
        const record: ApprovalRecord = JSON.parse(text)
        await log.approvals.put(record)
      },
      // It goes with its session.
      remove: async () => {},
    },
    project: {
      async set({ text }) {
        const record: ProjectRecord = JSON.parse(text)
        if (!(await log.projects.get(record.id))) await log.projects.create(record)
      },
      async remove(id) {
        if (await log.projects.get(id)) await log.projects.remove(id)
      },
    },
    key: {
      async set({ text }) {
        const record: KeyRecord = JSON.parse(text)
        if (!(await log.keys.get(record.id))) await log.keys.create(record)
        if (record.revokedAt !== undefined) await log.keys.revoke(record.id, record.revokedAt)
        if (record.lastUsedAt !== undefined) await log.keys.touch(record.id, record.lastUsedAt)
      },
      remove: async () => {},
    },
    audit: {
      async set({ text }, id) {
        await log.audit.put({ ...JSON.parse(text), id: Number(id) })
      },
      remove: async () => {},
    },
    browser: plain(log.browsers),
    passkey: plain(log.passkeys),
    setting: plain(log.settings),
    trust: plain(log.trust),
    loop: plain(log.loops),
    budget: plain(log.budgets),
    ...others,
  }

  const applyOne = async ({ key, document }: IndexChange): Promise<void> => {
    const { kind, id } = partsOf(key)
    const applier = appliers[kind]
    if (document) await applier?.set(document, id)
    else await applier?.remove(id)
    onRecord({ kind, id })
  }

  return {
    hasSession: (id) => sessionIds.has(id),
    async apply(changes) {
      const sorted = changes.toSorted(
        (left, right) =>
          rank(partsOf(left.key).kind) - rank(partsOf(right.key).kind) ||
          (left.document?.order ?? 0) - (right.document?.order ?? 0),
      )
      for (const change of sorted)
        await applyOne(change).catch((cause: unknown) => {
          // An approval whose session was deleted meanwhile.
          if (cause instanceof LogFault && cause.code === 'unknown_session') return
          if (!isUnreadable(cause)) throw cause
          // The records behind it count all the same.
          onError(unreadableRecord(change.key, cause))
        })
    },
  }
}

/** Whether the record is the reason, and not the index. */
const isUnreadable = (cause: unknown): boolean =>
  !(cause instanceof LogFault) || cause.code === 'invalid_record'

const sessionApplier = (log: Log, ids: Set<string>): IndexApplier => ({
  async set({ text }) {
    const record: SessionRecord = JSON.parse(text)
    const before = await log.sessions.get(record.id)
    if (!before) await log.sessions.create(record)
    else await log.sessions.update(record.id, patchTo(before, record))
    ids.add(record.id)
  },
  async remove(id) {
    ids.delete(id)
    if (await log.sessions.get(id)) await log.sessions.remove(id)
  },
})

/** The patch that makes one record of another. */
const patchTo = (before: SessionRecord, after: SessionRecord): SessionPatch => {
  const removed = Object.keys(before).filter((name) => !(name in after))
  return { ...Object.fromEntries(removed.map((name) => [name, null])), ...after }
}
