import { approvalRecord } from '../approval-record.ts'
import { batchOf, checkNext } from '../batch.ts'
import { refOf } from '../blobs/blob-ref.ts'
import { ledgerMark, ledgerRow, readMark } from '../ledger-row.ts'
import type { ApprovalFilter, Blob, Log, SessionFilter, StoredSnapshot } from '../log.ts'
import {
  approvalExists,
  closedLog,
  sessionExists,
  snapshotAhead,
  unknownSession,
} from '../log-fault.ts'
import { eventsOf, pagesOf } from '../pages.ts'
import { patchSession, sessionRecord } from '../session-record.ts'
import { pack, unpack } from '../stored.ts'
import type { ApprovalRecord, SessionRecord } from '../types.ts'
import { createKeys } from './keys.ts'
import { createProjects } from './projects.ts'

/** What belongs to one session. Texts, as in a database: nobody else can change them. */
interface Shelf {
  record: string
  texts: string[]
  blobs: Set<string>
  approvals: Map<string, string>
  ledger: Map<string, string>
  mark?: string
  snapshot?: StoredSnapshot
}

/** A log that is gone with its process: for tests, and for streams that nobody reads again. */
export const openMemoryLog = async (): Promise<Log> => {
  let shelves: Map<string, Shelf> | undefined = new Map()
  const blobs = new Map<string, Blob>()

  const all = (): Map<string, Shelf> => {
    if (!shelves) throw closedLog()
    return shelves
  }
  const shelfOf = (sessionId: string): Shelf => {
    const shelf = all().get(sessionId)
    if (!shelf) throw unknownSession(sessionId)
    return shelf
  }
  const textsOf = (sessionId: string): readonly string[] => all().get(sessionId)?.texts ?? []
  const approvalsOf = (): ApprovalRecord[] =>
    [...all().values()]
      .flatMap((shelf) => [...shelf.approvals.values()])
      .map((text) => unpack(approvalRecord, text))

  const readText: Log['readText'] = (sessionId, after, limit) =>
    pagesOf(
      (last, rows) => {
        const texts = textsOf(sessionId)
        return { texts: texts.slice(last, last + rows), more: last + rows < texts.length }
      },
      after,
      limit,
    )

  return {
    async append(sessionId, events) {
      const { first, texts } = batchOf(sessionId, events)
      const shelf = shelfOf(sessionId)
      if (texts.length > 0) checkNext(sessionId, shelf.texts.length + 1, first)
      for (const text of texts) shelf.texts.push(text)
    },
    read: (sessionId, after, limit) => eventsOf(readText(sessionId, after, limit)),
    readText,
    head: async (sessionId) => textsOf(sessionId).length,

    sessions: {
      async create(record) {
        if (all().has(record.id)) throw sessionExists(record.id)
        all().set(record.id, emptyShelf(pack(sessionRecord, record)))
      },
      async update(id, patch) {
        const shelf = shelfOf(id)
        shelf.record = pack(sessionRecord, patchSession(unpack(sessionRecord, shelf.record), patch))
        return unpack(sessionRecord, shelf.record)
      },
      async get(id) {
        const shelf = all().get(id)
        return shelf && unpack(sessionRecord, shelf.record)
      },
      async list(filter = {}) {
        return [...all().values()]
          .map((shelf) => unpack(sessionRecord, shelf.record))
          .filter((record) => isListed(record, filter))
          .sort(newestFirst)
          .slice(0, filter.limit ?? 50)
      },
      async remove(id) {
        const gone = shelfOf(id)
        all().delete(id)
        const rest = [...all().values()]
        for (const hash of gone.blobs)
          if (!rest.some((shelf) => shelf.blobs.has(hash))) blobs.delete(hash)
      },
    },

    blobs: {
      async put(sessionId, bytes, mimeType) {
        const shelf = shelfOf(sessionId)
        const ref = refOf(bytes, mimeType)
        shelf.blobs.add(ref.hash)
        if (!blobs.has(ref.hash))
          blobs.set(ref.hash, { bytes: bytes.slice(), ...(mimeType !== undefined && { mimeType }) })
        return ref
      },
      async get(hash) {
        all()
        const blob = blobs.get(hash)
        return blob && { ...blob, bytes: blob.bytes.slice() }
      },
    },

    approvals: {
      async put(record) {
        const shelf = shelfOf(record.sessionId)
        const known = approvalsOf().find((each) => each.approvalId === record.approvalId)
        if (known && known.sessionId !== record.sessionId) throw approvalExists(known)
        shelf.approvals.set(record.approvalId, pack(approvalRecord, record))
      },
      async get(approvalId) {
        return approvalsOf().find((record) => record.approvalId === approvalId)
      },
      async list(filter = {}) {
        return approvalsOf()
          .filter((record) => isAsked(record, filter))
          .sort(oldestFirst)
      },
    },

    ledger: {
      async put(sessionId, rows, mark) {
        const shelf = shelfOf(sessionId)
        const texts = rows.map((row) => [row.key, pack(ledgerRow, row)] as const)
        if (mark) shelf.mark = pack(ledgerMark, mark)
        for (const [key, text] of texts) shelf.ledger.set(key, text)
      },
      async list(sessionId) {
        const rows = all().get(sessionId)?.ledger.values() ?? []
        return [...rows].map((text) => unpack(ledgerRow, text))
      },
      async mark(sessionId) {
        const text = all().get(sessionId)?.mark
        return text === undefined ? undefined : readMark(text)
      },
    },

    snapshots: {
      async put(sessionId, seq, text) {
        const shelf = shelfOf(sessionId)
        const head = shelf.texts.length
        if (seq > head) throw snapshotAhead(sessionId, seq, head)
        if (seq >= (shelf.snapshot?.seq ?? 0)) shelf.snapshot = { seq, text }
      },
      async get(sessionId) {
        const snapshot = all().get(sessionId)?.snapshot
        return snapshot && { ...snapshot }
      },
    },

    projects: createProjects(all),
    keys: createKeys(all),

    async close() {
      shelves = undefined
      blobs.clear()
    },
  }
}

const emptyShelf = (record: string): Shelf => ({
  record,
  texts: [],
  blobs: new Set(),
  approvals: new Map(),
  ledger: new Map(),
})

const isListed = (record: SessionRecord, filter: SessionFilter): boolean =>
  (filter.projectId === undefined || record.projectId === filter.projectId) &&
  (filter.agent === undefined || record.agent === filter.agent) &&
  (filter.state === undefined || record.state === filter.state) &&
  (filter.withRemoved === true || record.removedAt === undefined) &&
  (filter.before === undefined || newestFirst(filter.before, record) < 0)

const isAsked = (record: ApprovalRecord, { sessionId, status }: ApprovalFilter): boolean =>
  (sessionId === undefined || record.sessionId === sessionId) &&
  (status === undefined || record.status === status)

type Listed = Pick<SessionRecord, 'id' | 'createdAt'>
const newestFirst = (left: Listed, right: Listed): number =>
  right.createdAt - left.createdAt || (left.id < right.id ? 1 : left.id > right.id ? -1 : 0)

const oldestFirst = (left: ApprovalRecord, right: ApprovalRecord): number =>
  left.createdAt - right.createdAt ||
  (left.approvalId < right.approvalId ? -1 : left.approvalId > right.approvalId ? 1 : 0)
