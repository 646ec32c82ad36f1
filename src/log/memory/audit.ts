import type { AuditEntry } from '../../events/types.ts'
import type { AuditFilter, AuditStore } from '../audit-store.ts'
import { serializeRecord } from '../records.ts'
import type { MemoryContext } from './context.ts'

/** The audit in memory. */
export const createAuditStore = ({ ensureOpen }: MemoryContext): AuditStore => {
  const texts: string[] = []
  const entryAt = (index: number): AuditEntry => ({
    id: index + 1,
    ...JSON.parse(texts[index] ?? ''),
  })

  return {
    async append(entry) {
      ensureOpen()
      texts.push(serializeRecord('audit', entry))
      return entryAt(texts.length - 1)
    },
    async list(filter = {}) {
      ensureOpen()
      return texts
        .map((_, index) => entryAt(index))
        .filter((entry) => matches(entry, filter))
        .reverse()
        .slice(0, filter.limit ?? 50)
    },
  }
}

const matches = (entry: AuditEntry, { sessionId, actor, action, before }: AuditFilter): boolean =>
  (sessionId === undefined || entry.sessionId === sessionId) &&
  (actor === undefined || entry.by === actor || entry.actorId === actor) &&
  (action === undefined || entry.action === action) &&
  (before === undefined || entry.id < before)
