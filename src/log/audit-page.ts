import type { AuditEntry } from '../events/types.ts'
import type { AuditFilter, AuditStore } from './audit-store.ts'

/** Lists one page of the audit, newest first. `next` is where the next page begins, if there is one. */
export const listAuditPage = async (
  audit: Pick<AuditStore, 'list'>,
  { limit = 100, ...filter }: AuditFilter,
): Promise<{ entries: AuditEntry[]; next?: number }> => {
  // One more than requested shows whether there is a next page.
  const found = await audit.list({ ...filter, limit: limit + 1 })
  const entries = found.slice(0, limit)
  const last = entries.at(-1)
  return { entries, ...(found.length > limit && last && { next: last.id }) }
}
