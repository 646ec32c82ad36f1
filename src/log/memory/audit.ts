import type { AuditEntry } from '../../events/types.ts'
import type { AuditFilter, AuditStore } from '../audit-store.ts'
import { serializeRecord } from '../records.ts'
import type { MemoryContext } from './context.ts'

/** The audit in memory. */
export const createAuditStore = ({ ensureOpen }: MemoryContext): AuditStore => {
  /** By number. */
  const texts = new Map<number, string>()
  let last = 0
  const add = (id: number, text: string): AuditEntry => {
    last = Math.max(last, id)
    texts.set(id, text)
    return { id, ...JSON.parse(text) }
  }

  return {
    async append(entry) {
      ensureOpen()
      return add(last + 1, serializeRecord('audit', entry))
    },
    async put({ id, ...entry }) {
      ensureOpen()
      const text = serializeRecord('audit', entry)
      if (!texts.has(id)) add(id, text)
    },
    async list(filter = {}) {
      ensureOpen()
      return Array.from(texts, ([id, text]): AuditEntry => ({ id, ...JSON.parse(text) }))
        .filter((entry) => matches(entry, filter))
        .sort((left, right) => right.id - left.id)
        .slice(0, filter.limit ?? 50)
    },
  }
}

const matches = (entry: AuditEntry, { sessionId, actor, action, before }: AuditFilter): boolean =>
  (sessionId === undefined || entry.sessionId === sessionId) &&
  (actor === undefined || entry.by === actor || entry.actorId === actor) &&
  (action === undefined || entry.action === action) &&
  (before === undefined || entry.id < before)
