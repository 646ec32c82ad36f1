import { addTotals, emptyTotals } from '../../events/usage-sums.ts'
import { isWithin, type SessionFilter, type SessionStore } from '../log.ts'
import { sessionExists } from '../log-fault.ts'
import { patchSession, serializeRecord } from '../records.ts'
import type { SessionRecord } from '../types.ts'
import type { MemoryContext, MemorySession, MemorySpending } from './context.ts'

/** Sessions in memory. */
export const createSessionStore = ({
  sessions,
  blobs,
  deletedUsage,
  spending,
  ensureOpen,
  sessionOf,
}: MemoryContext): SessionStore => ({
  async create(record) {
    ensureOpen()
    const json = serializeRecord('session', record)
    if (sessions.has(record.id)) throw sessionExists(record.id)
    const session = emptySession(json)
    sessions.set(record.id, session)
    spending.push(session.spending)
  },
  async update(id, patch) {
    const session = sessionOf(id)
    const patched = patchSession(recordOf(session), patch)
    session.record = JSON.stringify(patched)
    return patched
  },
  async get(id) {
    ensureOpen()
    const session = sessions.get(id)
    return session && recordOf(session)
  },
  async list(filter = {}) {
    ensureOpen()
    return recordsBefore([...sessions.values()].map(recordOf), filter.before)
      .filter((record) => matches(record, filter))
      .reverse()
      .slice(0, filter.limit ?? 50)
  },
  async countOf(creatorId) {
    ensureOpen()
    const records = [...sessions.values()].map(recordOf)
    return records.filter((record) => matches(record, { creatorId })).length
  },
  async remove(id, usage) {
    const removed = sessionOf(id)
    const { projectId = '' } = recordOf(removed)
    if (usage)
      deletedUsage.set(projectId, addTotals(deletedUsage.get(projectId) ?? emptyTotals(), usage))
    sessions.delete(id)
    const others = [...sessions.values()]
    for (const hash of removed.blobs)
      if (!others.some((session) => session.blobs.has(hash))) blobs.delete(hash)
  },
})

const emptySession = (record: string): MemorySession => ({
  record,
  spending: emptySpending(JSON.parse(record)),
  events: [],
  blobs: new Set(),
  approvals: new Map(),
  commands: new Map(),
  receipts: new Map(),
  ledgerRows: new Map(),
})

const emptySpending = ({ id, projectId = '', agent }: SessionRecord): MemorySpending => ({
  sessionId: id,
  projectId,
  agent,
  rows: new Map(),
})

const recordOf = ({ record }: MemorySession): SessionRecord => JSON.parse(record)

const matches = (record: SessionRecord, filter: SessionFilter): boolean =>
  (filter.projectId === undefined || record.projectId === filter.projectId) &&
  (filter.agent === undefined || record.agent === filter.agent) &&
  (filter.state === undefined || record.state === filter.state) &&
  (filter.creatorId === undefined || record.creatorId === filter.creatorId) &&
  (filter.comparisonId === undefined || record.comparisonId === filter.comparisonId) &&
  (filter.forkedFrom === undefined || record.forkedFrom === filter.forkedFrom) &&
  (filter.within === undefined || isWithin(record, filter.within)) &&
  (filter.includeRemoved === true || record.removedAt === undefined)

/** The sessions that were created before a session. The map has them in this order. */
const recordsBefore = (
  records: readonly SessionRecord[],
  before: SessionFilter['before'],
): SessionRecord[] => {
  if (before === undefined) return [...records]
  const at = records.findIndex(({ id }) => id === before.id)
  // That session was deleted meanwhile: continue after those that are as old.
  const older = ({ createdAt, id }: SessionRecord): boolean =>
    createdAt < before.createdAt || (createdAt === before.createdAt && id < before.id)
  return records.slice(0, at === -1 ? records.findLastIndex(older) + 1 : at)
}
